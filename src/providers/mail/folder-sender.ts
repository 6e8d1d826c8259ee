import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { composeMail } from './compose.ts'
import type { MailSender, OutgoingMail } from './sender.ts'

type Print = (line: string) => void

const maxFiles = 500

/** For development: writes each mail as an `.eml` file, and prints the codes as the SMS sender does. */
export const createFolderSender = (folder: string, print: Print = printToOutput): MailSender => ({
  name: 'folder',
  send: async (mail) => {
    const content = await encode(mail)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const file = join(folder, nameFile(mail))
    // In two steps, so that nobody reads half of it.
    await writeFile(`${file}.part`, content, { mode: 0o600 })
    await rename(`${file}.part`, file)
    if (mail.code !== null) print(`OTP for ${mail.to} is ${mail.code}`)
    await removeOldest(folder)
    return { answer: `written to ${file}` }
  },
  close: async () => {},
})

/** The time comes first, so that the names sort by it. */
const nameFile = ({ date, name, id }: OutgoingMail) =>
  `${date.toISOString().replaceAll(/[:.]/g, '-')}-${name}-${id}.eml`

const encode = async (mail: OutgoingMail): Promise<Buffer> => {
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  const { message } = await transport.sendMail(composeMail(mail))
  if (!Buffer.isBuffer(message)) throw new Error('nodemailer returned no buffer')
  return message
}

const removeOldest = async (folder: string) => {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.eml')).sort()
  for (const file of files.slice(0, Math.max(0, files.length - maxFiles))) await rm(join(folder, file), { force: true })
}

/** Not through the logger, which would wrap the line in JSON. */
const printToOutput: Print = (line) => void process.stdout.write(`${line}\n`)
