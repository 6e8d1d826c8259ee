import { mkdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { toFields } from '../core/fields.ts'
import { errorCode } from '../core/thrown.ts'

/** Where a running service listens, for commands that use the same data folder. */
export type ServiceNote = { url: string; pid: number }

const noteFile = ({ dataDir }: Pick<Config, 'dataDir'>) => join(dataDir, 'service.json')

/**
 * Writes the note of this process and returns a function that removes it. Several services can share a folder when they
 * use DATABASE_URL; commands then call the one that started last.
 */
export const noteService = (config: Config, port: number): (() => void) => {
  const file = noteFile(config)
  const draft = `${file}.${process.pid}`
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
  writeFileSync(draft, JSON.stringify({ url: localUrl(config.host, port), pid: process.pid }), { mode: 0o600 })
  // A rename is atomic, so that a command never reads a partial note.
  renameSync(draft, file)
  return () => {
    if (readNote(file)?.pid === process.pid) unlinkSync(file)
  }
}

/**
 * The address of the service that uses this data folder. A note whose process has ended is ignored, and the address
 * comes from the settings.
 */
export const serviceUrl = (config: Config): string => {
  const note = readNote(noteFile(config))
  if (note !== null && isRunning(note.pid)) return note.url
  return process.env.VITRINE_PUBLIC_URL ? config.publicUrl : localUrl(config.host, config.port)
}

const readNote = (file: string): ServiceNote | null => {
  try {
    const { url, pid } = toFields(JSON.parse(readFileSync(file, 'utf8')))
    const isNote = typeof url === 'string' && typeof pid === 'number'
    return isNote && /^https?:\/\//.test(url) && Number.isInteger(pid) ? { url, pid } : null
  } catch {
    return null
  }
}

const isRunning = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // The process exists but belongs to another user.
    return errorCode(error) === 'EPERM'
  }
}

/** The URL by which this machine reaches a service that listens on `host`. */
const localUrl = (host: string, port: number) => {
  const loopbackOf: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }
  return `http://${loopbackOf[host] ?? (host.includes(':') ? `[${host}]` : host)}:${port}`
}
