import { readdirSync, readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { fail } from '../../core/errors.ts'
import { type CachedAnswer, makeCachedAnswer } from '../../http/cached-answers.ts'
import { sendAnswer } from '../../http/send-answer.ts'

const folder = new URL('./data/images/', import.meta.url)
const svgImage = { type: 'image/svg+xml', cacheControl: 'public, max-age=86400', vary: 'Accept-Encoding' }

/** Pages of any origin may show the images. An SVG that is opened directly must not run scripts. */
const headers = {
  'cross-origin-resource-policy': 'cross-origin',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
}

/** File names that demo stores created by version 0.1.0 refer to. */
const formerNames = new Map([
  ['block-print-cushion-2.svg', 'block-print-cushion-mustard.svg'],
  ['block-print-kurta-2.svg', 'block-print-kurta-rust.svg'],
  ['cafe-au-lait-mug-2.svg', 'cafe-au-lait-mug-indigo.svg'],
  ['canvas-tote-2.svg', 'canvas-tote-olive.svg'],
  ['running-shoes-2.svg', 'running-shoes-slate.svg'],
])

/** Serves the images of the demo store, so that it works without internet access. */
export const registerDemoImages = (server: FastifyInstance) => {
  const names = new Set(readdirSync(folder))
  const loaded = new Map<string, CachedAnswer>()
  server.get<{ Params: { name: string } }>('/demo/images/:name', (request, reply) => {
    const name = formerNames.get(request.params.name) ?? request.params.name
    if (!names.has(name)) throw fail('NOT_FOUND', 'There is no such image.')
    let answer = loaded.get(name)
    if (answer === undefined) {
      answer = makeCachedAnswer(readFileSync(new URL(name, folder), 'utf8'), { headers })
      loaded.set(name, answer)
    }
    return sendAnswer(request, reply, answer, svgImage)
  })
}
