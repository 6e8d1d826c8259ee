import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../core/thrown.ts'

/** A mail of the list. `id` is the name of its file without the ending. */
export type InboxEntry = {
  id: string
  /** The name of the message, such as `order.paid`. */
  message: string
  subject: string
  from: string
  to: string
  /** ISO 8601, UTC. */
  sentAt: string
}
export type InboxMail = InboxEntry & { text: string; html: string }

const maxListed = 50
const ending = '.eml'

/** The newest mail in the folder that the development sender writes to. */
export const createInbox = (folder: string) => {
  /** The files never change, so each is parsed once. */
  let parsed = new Map<string, Promise<InboxMail | null>>()
  const readNewest = async (): Promise<InboxMail[]> => {
    const files = (await listFiles(folder)).toSorted().reverse().slice(0, maxListed)
    parsed = new Map(files.map((file) => [file, parsed.get(file) ?? readMail(folder, file)]))
    return (await Promise.all(parsed.values())).filter((mail) => mail !== null)
  }
  return {
    /** The newest first. */
    list: async (): Promise<InboxEntry[]> =>
      (await readNewest()).map(({ text: _text, html: _html, ...entry }) => entry),
    /** Found in the list and not by its path, so that `id` cannot name another file. */
    find: async (id: string): Promise<InboxMail | undefined> => (await readNewest()).find((mail) => mail.id === id),
  }
}

export type Inbox = ReturnType<typeof createInbox>

const listFiles = async (folder: string): Promise<string[]> => {
  try {
    return (await readdir(folder)).filter((file) => file.endsWith(ending))
  } catch (error) {
    // The first mail creates the folder.
    if (errorCode(error) === 'ENOENT') return []
    throw error
  }
}

const readMail = async (folder: string, file: string): Promise<InboxMail | null> => {
  // Loaded only when needed, because a service in production shows no mail.
  const { default: PostalMime } = await import('postal-mime')
  try {
    const mail = await PostalMime.parse(await readFile(join(folder, file)))
    return {
      id: file.slice(0, -ending.length),
      message: mail.headers.find(({ key }) => key === 'x-vitrine-message')?.value ?? '',
      subject: mail.subject ?? '',
      from: nameOf(mail.from),
      to: mail.to?.map(({ address }) => address ?? '').join(', ') ?? '',
      sentAt: mail.date ?? '',
      text: mail.text ?? '',
      html: mail.html ?? '',
    }
  } catch (error) {
    // The sender has deleted it since: it keeps a limited number.
    if (errorCode(error) === 'ENOENT') return null
    throw error
  }
}

const nameOf = (from: { name: string; address?: string | undefined } | undefined) =>
  from === undefined ? '' : from.name ? `${from.name} <${from.address ?? ''}>` : (from.address ?? '')
