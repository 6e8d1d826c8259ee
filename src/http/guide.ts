import { readdirSync, readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { fail } from '../core/errors.ts'
import { type CachedAnswer, makeCachedAnswer } from './cached-answers.ts'
import { guidePages } from './guide-contents.ts'
import { guideStyle } from './guide-style.ts'
import { type Presentation, sendAnswer } from './send-answer.ts'

/** The same way up from src/http and from dist/http. */
const folder = new URL('../../docs/', import.meta.url)

const html: Presentation = {
  type: 'text/html; charset=utf-8',
  cacheControl: 'public, no-cache',
  vary: 'Accept-Encoding',
}
const css: Presentation = { ...html, type: 'text/css; charset=utf-8' }

/**
 * The guide for people, from the files in docs/. It is no part of the contract: what describes the API to programs has
 * no use for pages. A file is read and drawn when somebody first asks for it, and then kept.
 */
export const registerGuide = (server: FastifyInstance, addresses: GuideAddresses) => {
  const kept = new Map<string, Promise<CachedAnswer>>()
  const keep = (name: string, make: () => Promise<CachedAnswer>) => {
    const found = kept.get(name) ?? make()
    // A file that could not be read now is tried again with the next request.
    found.catch(() => kept.delete(name))
    kept.set(name, found)
    return found
  }

  server.get('/docs/guide', async (request, reply) => sendAnswer(request, reply, await keep('', drawContents), html))
  server.get('/docs/guide/style.css', async (request, reply) =>
    sendAnswer(request, reply, await keep('style.css', async () => makeCachedAnswer(guideStyle)), css),
  )
  server.get<{ Params: { '*': string } }>('/docs/guide/*', async (request, reply) => {
    const page = request.params['*'].replace(/\/$/, '')
    if (!isPage(page)) throw fail('NOT_FOUND', 'There is no such page in the guide. /docs/guide has the contents.')
    return sendAnswer(request, reply, await keep(page, () => drawPage(page, addresses)), html)
  })
}

/** Where the service is, and the demo shop where there is one. */
export type GuideAddresses = { publicUrl: string; demoUrl: string | null }

/**
 * The files name the addresses of a plain start; a reader who copies from a running service wants its own. What means the
 * machine itself, whoever serves it to the world, is written 127.0.0.1 in the files and stays.
 */
const withAddresses = (markdown: string, { publicUrl, demoUrl }: GuideAddresses) =>
  markdown.replaceAll(/http:\/\/localhost:(3000|3001)\b/g, (written, port) =>
    port === '3000' ? publicUrl : (demoUrl ?? written),
  )

let decisions: ReadonlySet<string> | undefined

/** Only names from these two lists reach the file system. */
const isPage = (page: string) => {
  if (guidePages.some((known) => known.page === page)) return true
  decisions ??= new Set(readdirSync(new URL('decisions/', folder)))
  return page.startsWith('decisions/') && decisions.has(`${page.slice('decisions/'.length)}.md`)
}

/** What draws is loaded with the first page, since most services never show one. */
const drawContents = async () => {
  const { guidePolicy, showGuideContents } = await import('./guide-page.ts')
  return makeCachedAnswer(showGuideContents(), { headers: headersWith(guidePolicy) })
}

const drawPage = async (page: string, addresses: GuideAddresses) => {
  const [{ renderMarkdown }, { guidePolicy, showGuidePage }] = await Promise.all([
    import('./guide-markdown.ts'),
    import('./guide-page.ts'),
  ])
  const file = `${page}.md`
  const markdown = withAddresses(readFileSync(new URL(file, folder), 'utf8'), addresses)
  const rendered = renderMarkdown(markdown, { file, knows: isPage })
  return makeCachedAnswer(showGuidePage(page, rendered), { headers: headersWith(guidePolicy) })
}

const headersWith = (policy: string) => ({
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
})
