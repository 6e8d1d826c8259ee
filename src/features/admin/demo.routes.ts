import { readdirSync, readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { fail } from '../../core/errors.ts'
import { type CachedAnswer, makeCachedAnswer } from '../../http/cached-answers.ts'
import { sendAnswer } from '../../http/send-answer.ts'

const folder = new URL('./demo/images/', import.meta.url)
const picture = { type: 'image/svg+xml', cacheControl: 'public, max-age=86400', vary: 'Accept-Encoding' }

/** Pictures are shown by pages of any origin; one that is opened by itself may run nothing. */
const headers = {
  'cross-origin-resource-policy': 'cross-origin',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
}

/** The pictures of the demo store, which must look good without a network. */
export const registerDemoImages = (server: FastifyInstance) => {
  const names = new Set(readdirSync(folder))
  const loaded = new Map<string, CachedAnswer>()
  server.get<{ Params: { name: string } }>('/demo/images/:name', (request, reply) => {
    const { name } = request.params
    if (!names.has(name)) throw fail('NOT_FOUND', 'There is no such picture.')
    let answer = loaded.get(name)
    if (answer === undefined) {
      answer = makeCachedAnswer(readFileSync(new URL(name, folder), 'utf8'), { headers })
      loaded.set(name, answer)
    }
    return sendAnswer(request, reply, answer, picture)
  })
}
