import cluster from 'node:cluster'
import { createServer } from 'node:http'

/** The limit to measure against: `node:http` that sends the same bytes and headers and does nothing else. */
const serve = () => {
  const { status, headers, body } = JSON.parse(process.env.BARE_ANSWER ?? '{}')
  const bytes = Buffer.from(body, 'base64')
  createServer((_request, response) => {
    response.writeHead(status, headers)
    response.end(bytes)
  }).listen(Number(process.env.BARE_PORT), '127.0.0.1', () => {
    if (workers === 1) process.send?.('ready')
  })
}

/** With several workers, this process only hands out connections. */
const workers = Number(process.env.BARE_WORKERS)
if (workers === 1 || cluster.isWorker) serve()
else {
  let listening = 0
  for (let i = 0; i < workers; i++) cluster.fork()
  cluster.on('listening', () => {
    if (++listening === workers) process.send?.('ready')
  })
}
