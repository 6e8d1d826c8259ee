import { createServer } from 'node:http'

/** The limit to measure against: `node:http` that sends the same bytes and headers and does nothing else. */
const { status, headers, body } = JSON.parse(process.env.BARE_ANSWER ?? '{}')
const bytes = Buffer.from(body, 'base64')
createServer((_request, response) => {
  response.writeHead(status, headers)
  response.end(bytes)
}).listen(Number(process.env.BARE_PORT), '127.0.0.1', () => process.send?.('ready'))
