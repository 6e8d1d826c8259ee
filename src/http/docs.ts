import Fastify, { type FastifyInstance } from 'fastify'
import { fail } from '../core/errors.ts'
import { type CachedAnswer, makeCachedAnswer } from './cached-answers.ts'
import { sendAnswer } from './send-answer.ts'

const script = {
  type: 'text/javascript; charset=utf-8',
  cacheControl: 'public, max-age=3600',
  vary: 'Accept-Encoding',
}

/**
 * The scripts of the reference at /docs, which Scalar renders from /openapi.json. It loads nothing from elsewhere:
 * Scalar's fonts, telemetry and proxies are off, and the policy below would block them anyway.
 */
export const registerDocsScripts = (server: FastifyInstance) => {
  let bundle: Promise<CachedAnswer> | undefined

  server.get('/docs/start.js', (_request, reply) => reply.type(script.type).send(startScript))
  server.get('/docs/scalar.js', async (request, reply) => {
    bundle ??= loadScalar()
    return sendAnswer(request, reply, await bundle, script)
  })
}

/** Four megabytes that only /docs needs, so they are loaded on first use. */
const loadScalar = async () => {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const bundler = Fastify()
  await bundler.register(scalar, { routePrefix: '/scalar', configuration: { url: '/openapi.json' } })
  const { body } = await bundler.inject('/scalar/js/scalar.js')
  await bundler.close()
  return makeCachedAnswer(body)
}

/** Redirects browsers from / to the guide. */
export const registerFrontDoor = (server: FastifyInstance) => {
  server.get('/', (request, reply) => {
    if (request.headers.accept?.includes('text/html')) return reply.redirect('/docs/guide')
    throw fail('NOT_FOUND', 'There is no GET /. The guide is at /docs/guide, the reference at /docs.')
  })
}

export const docsPolicy = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const startScript = `Scalar.createApiReference('#reference', ${JSON.stringify({
  url: '/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  defaultOpenAllTags: true,
})})
`

export const docsPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Vitrine API reference</title>
<link rel="icon" href="data:,">
</head>
<body>
<div id="reference"></div>
<noscript>The reference needs JavaScript. The description itself is at <a href="/openapi.json">/openapi.json</a>,
and <a href="/docs/guide">the guide</a> needs none.</noscript>
<script src="/docs/scalar.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`
