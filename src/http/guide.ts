import { readdirSync, readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { fail } from '../core/errors.ts'
import { type CachedAnswer, makeCachedAnswer } from './cached-answers.ts'
import { guidePages } from './guide-contents.ts'
import { guideStyle } from './guide-style.ts'
import { type Presentation, sendAnswer } from './send-answer.ts'

/** The same relative path from src/http and from dist/http. */
const folder = new URL('../../docs/', import.meta.url)

const html: Presentation = {
  type: 'text/html; charset=utf-8',
  cacheControl: 'public, no-cache',
  vary: 'Accept-Encoding',
}
const css: Presentation = { ...html, type: 'text/css; charset=utf-8' }

/**
 * Serves the files in docs/ as HTML. The guide is not part of the contract, which describes the API to programs. A page
 * is rendered on first request and then cached.
 */
export const registerGuide = (server: FastifyInstance, addresses: GuideAddresses) => {
  const cached = new Map<string, Promise<CachedAnswer>>()
  const readCached = (name: string, make: () => Promise<CachedAnswer>) => {
    const found = cached.get(name) ?? make()
    // After a failure, the next request tries again.
    found.catch(() => cached.delete(name))
    cached.set(name, found)
    return found
  }

  server.get('/docs/guide', async (request, reply) =>
    sendAnswer(request, reply, await readCached('', renderContents), html),
  )
  server.get('/docs/guide/style.css', async (request, reply) =>
    sendAnswer(request, reply, await readCached('style.css', async () => makeCachedAnswer(guideStyle)), css),
  )
  server.get<{ Params: { '*': string } }>('/docs/guide/*', async (request, reply) => {
    const page = request.params['*'].replace(/\/$/, '')
    if (!isPage(page)) throw fail('NOT_FOUND', 'There is no such page in the guide. /docs/guide lists all pages.')
    return sendAnswer(request, reply, await readCached(page, () => renderPage(page, addresses)), html)
  })
}

/** The URLs of the service and, in development, of the demo shop. */
export type GuideAddresses = { publicUrl: string; demoUrl: string | null }

/**
 * Replaces the default URLs in the files by those of this service, so that readers can copy commands as they are. URLs
 * that mean the machine itself are written with 127.0.0.1 in the files and stay.
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

/** The renderer is loaded on first use, because most instances never serve a page. */
const renderContents = async () => {
  const { guidePolicy, showGuideContents } = await import('./guide-page.ts')
  return makeCachedAnswer(showGuideContents(), { headers: headersWith(guidePolicy) })
}

const renderPage = async (page: string, addresses: GuideAddresses) => {
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
