import { errorMessage } from '../../../core/thrown.ts'
import { FileFault, maxRecordSize, type ProductRecord } from './records.ts'

/** One object per line. Empty lines are skipped. */
export async function* readJsonLines(text: AsyncIterable<string>): AsyncGenerator<ProductRecord> {
  let line = 0
  let rest = ''
  for await (const piece of text) {
    rest += piece
    let from = 0
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n', from)) {
      line++
      const content = rest.slice(from, end).trim()
      if (content !== '') yield parseElement(content, line)
      from = end + 1
    }
    rest = rest.slice(from)
    if (rest.length > maxRecordSize) throw new FileFault(line + 1, 'is longer than 4 MB')
  }
  if (rest.trim() !== '') yield parseElement(rest.trim(), line + 1)
}

/** The elements of an array, parsed one by one, so that only one is in memory at a time. */
export async function* readJsonArray(text: AsyncIterable<string>): AsyncGenerator<ProductRecord> {
  const scanner = createScanner()
  for await (const piece of text) for (const element of scanner.push(piece)) yield element
  scanner.end()
}

const parseElement = (text: string, line: number): ProductRecord => {
  try {
    return { line, value: JSON.parse(text) }
  } catch (error) {
    const message = `is not JSON: ${errorMessage(error)}`
    return { line, value: null, faults: [{ line, field: 'product', message }] }
  }
}

const [quote, backslash, comma, openList, closeList, openObject, closeObject] = [34, 92, 44, 91, 93, 123, 125]
const isSpace = (code: number) => code === 32 || code === 10 || code === 13 || code === 9

/** Tracks only brackets and strings. JSON.parse validates the elements. */
const createScanner = () => {
  let state: 'before' | 'element' | 'after' = 'before'
  let depth = 0
  let inString = false
  let escaped = false
  let number = 0
  let element = ''

  /** Null at the end of an empty array. An empty element between two commas is a fault. */
  const finish = (last: boolean): ProductRecord | null => {
    const content = element.trim()
    element = ''
    if (content === '' && last && number === 0) return null
    number++
    return parseElement(content, number)
  }

  const push = (text: string): ProductRecord[] => {
    const found: ProductRecord[] = []
    let from = 0
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (state !== 'element') {
        if (isSpace(code)) continue
        if (state === 'after') throw new FileFault(number, 'is followed by text after the end of the array')
        if (code !== openList) throw new FileFault(1, 'is not the start of a JSON array')
        state = 'element'
        from = i + 1
      } else if (inString) {
        if (escaped) escaped = false
        else if (code === backslash) escaped = true
        else if (code === quote) inString = false
      } else if (code === quote) {
        inString = true
      } else if (code === openObject || code === openList) {
        depth++
      } else if (depth > 0 && (code === closeObject || code === closeList)) {
        depth--
      } else if (depth === 0 && (code === comma || code === closeList)) {
        element += text.slice(from, i)
        const record = finish(code === closeList)
        if (record !== null) found.push(record)
        from = i + 1
        if (code === closeList) state = 'after'
      }
    }
    if (state === 'element') element += text.slice(from)
    if (element.length > maxRecordSize) throw new FileFault(number + 1, 'is larger than 4 MB or is not closed')
    return found
  }

  const end = () => {
    if (state !== 'after') throw new FileFault(number + 1, 'is cut off: the array is not closed')
  }
  return { push, end }
}
