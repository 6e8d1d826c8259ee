import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { FileFault } from './records.ts'

const chunkBytes = 256 * 1024

/** Streams the text of a file without its byte order mark. `onBytes` receives the number of bytes read so far. */
export async function* readText(path: string, onBytes: (bytes: number) => void = () => {}) {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let bytes = 0
  let lines = 1
  const chunks: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: chunkBytes })
  for await (const chunk of chunks) {
    const text = decode(() => decoder.decode(chunk, { stream: true }), chunk, lines)
    bytes += chunk.length
    lines += countNewlines(chunk)
    onBytes(bytes)
    if (text !== '') yield text
  }
  const rest = decode(() => decoder.decode(), Buffer.alloc(0), lines)
  if (rest !== '') yield rest
}

const decode = (run: () => string, chunk: Buffer, line: number) => {
  try {
    return run()
  } catch {
    throw new FileFault(line + lineOfInvalidBytes(chunk), 'is not UTF-8 text; save the file as UTF-8')
  }
}

const newline = 0x0a

const countNewlines = (chunk: Buffer) => {
  let count = 0
  for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) count++
  return count
}

/** The 0-based line of the chunk with invalid bytes. The first line may start in the middle of a character. */
const lineOfInvalidBytes = (chunk: Buffer) => {
  let line = 0
  for (let from = 0; from < chunk.length; line++) {
    const end = chunk.indexOf(newline, from)
    if (end < 0) return line
    if (line > 0 && !isUtf8(chunk.subarray(from, end))) return line
    if (line === 0 && !isUtf8(chunk.subarray(firstWholeCharacter(chunk), end))) return line
    from = end + 1
  }
  return line
}

const firstWholeCharacter = (chunk: Buffer) => {
  let at = 0
  while (at < 3 && ((chunk[at] ?? 0) & 0xc0) === 0x80) at++
  return at
}
