import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')

/** Valid for localhost and 127.0.0.1 until 2126. */
export const mailServerCertificate = read('mail-server-cert.pem')
const key = read('mail-server-key.pem')

export type ReceivedMail = Email & {
  raw: string
  envelope: { from: string; to: string[] }
  isEncrypted: boolean
  user: string
}

export type MailServerOptions = {
  /** TLS from the first byte, STARTTLS, or none. */
  encryption?: 'tls' | 'starttls' | 'none'
  login?: { user: string; password: string }
  /** Decides about each RCPT, MAIL or DATA. An error is the answer. */
  onRecipient?: (address: string) => Error | null
  onSender?: (address: string) => Error | null
  onMail?: (mail: ReceivedMail) => Error | null
  /** Called in place of an answer to DATA, which never comes. */
  stalls?: () => void
  /** The answer to DATA comes after this. */
  waits?: (mail: ReceivedMail) => Promise<unknown>
  /** Closes the connection in place of an answer to DATA. */
  hangsUpAfterData?: () => boolean
}

/** An answer such as `answerWith(451, 'Greylisted')`. */
export const answerWith = (responseCode: number, text: string) => Object.assign(new Error(text), { responseCode })

/** A real SMTP server on this machine, which keeps what it receives. */
export const startMailServer = async (t: TestContext, options: MailServerOptions = {}) => {
  const { encryption = 'none', login } = options
  const received: ReceivedMail[] = []
  const sockets = new Set<Socket>()
  const settings: SMTPServerOptions = {
    key,
    cert: mailServerCertificate,
    secure: encryption === 'tls',
    hideSTARTTLS: encryption !== 'starttls',
    disabledCommands: [...(login === undefined ? ['AUTH'] : []), ...(encryption === 'none' ? ['STARTTLS'] : [])],
    allowInsecureAuth: true,
    // Connections are ended by the server: destroying the socket below an encrypted one crashes Node 26.10.
    closeTimeout: 50,
    authOptional: login === undefined,
    onAuth: ({ username, password }, _session, done) =>
      username === login?.user && password === login?.password
        ? done(null, { user: username })
        : done(answerWith(535, '5.7.8 Authentication credentials invalid')),
    onMailFrom: ({ address }, _session, done) => done(options.onSender?.(address) ?? null),
    onRcptTo: ({ address }, _session, done) => done(options.onRecipient?.(address) ?? null),
    onData: async (stream, session, done) => {
      const parts: Buffer[] = []
      for await (const part of stream) parts.push(part)
      const raw = Buffer.concat(parts)
      const { mailFrom, rcptTo } = session.envelope
      const mail: ReceivedMail = {
        ...(await PostalMime.parse(raw)),
        raw: raw.toString('utf8'),
        envelope: { from: mailFrom === false ? '' : mailFrom.address, to: rcptTo.map(({ address }) => address) },
        isEncrypted: session.secure,
        user: session.user ?? '',
      }
      const refusal = options.onMail?.(mail) ?? null
      if (refusal === null) received.push(mail)
      if (options.stalls) return options.stalls()
      await options.waits?.(mail)
      if (options.hangsUpAfterData?.()) for (const socket of sockets) socket.destroy()
      else done(refusal)
    },
  }
  const server = new SMTPServer(settings)
  // Clients that hang up are part of the tests.
  server.on('error', () => {})
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as { port: number }
  t.after(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const credentials =
    login === undefined ? '' : `${encodeURIComponent(login.user)}:${encodeURIComponent(login.password)}@`
  return {
    received,
    port,
    url: `${encryption === 'tls' ? 'smtps' : 'smtp'}://${credentials}localhost:${port}`,
    connections: () => sockets.size,
  }
}

/** A server that speaks as `talk` says, for faults that a real one does not have. */
export const startTalker = async (t: TestContext, talk: (socket: Socket) => void) => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    talk(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as { port: number }
  return { url: `smtp://localhost:${port}`, port, connections: () => sockets.size }
}
