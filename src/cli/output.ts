import { OperatorError } from '../core/operator-error.ts'
import { toError } from '../core/thrown.ts'

export const print = (text: string) => void process.stdout.write(`${makeVisible(text)}\n`)

/** Prints to standard error, so that programs that read standard output do not see it. */
export const printWarning = (text: string) => void process.stderr.write(`${makeVisible(text)}\n`)

/**
 * Names of customers and products reach the terminal, which interprets control characters: they could change its title,
 * hide a row or forge one. C0 except the line break, DEL, C1, line separators and characters that change the writing
 * direction are shown as escapes.
 */
export const makeVisible = (text: string) => text.replaceAll(unprintable, escapeCharacter)

const unprintable = /(?!\n)[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu

const escapeCharacter = (character: string) => {
  const code = character.charCodeAt(0).toString(16)
  return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u${code.padStart(4, '0')}`
}

/** In a cell a line break would forge a row. */
const oneLine = (text: string) => makeVisible(text).replaceAll('\n', '\\n')

/** JSON.stringify escapes nothing above U+001F. The rest occurs only in strings, where an escape is equivalent. */
export const toJson = (value: unknown, indent = 2) =>
  JSON.stringify(value, null, indent).replaceAll(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

export type OutputOptions = { json?: boolean }

/** Prints a result as JSON with --json, and as text otherwise. */
export const printResult = <Result>(options: OutputOptions, result: Result, show: (result: Result) => string) =>
  print(options.json ? toJson(result) : show(result))

/** Names and values, aligned. */
export const fields = (values: Record<string, unknown>) => {
  const width = Math.max(...Object.keys(values).map((name) => name.length))
  return Object.entries(values)
    .map(([name, value]) => `${name.padEnd(width)}  ${oneLine(String(value))}`.trimEnd())
    .join('\n')
}

/** Rows under headings, aligned. */
export const table = (headings: readonly string[], data: readonly (readonly string[])[]) => {
  const rows = data.map((row) => row.map(oneLine))
  const widths = headings.map((heading, i) => Math.max(heading.length, ...rows.map((row) => row[i]?.length ?? 0)))
  return [headings, ...rows]
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** An OperatorError is one sentence, because the operator can fix it. Any other error is a bug and keeps its stack. */
export const explainFailure = (error: unknown, json: boolean): string => {
  const message = error instanceof OperatorError ? error.message : (toError(error).stack ?? String(error))
  return json ? toJson({ error: message }, 0) : makeVisible(message)
}

export const wholeNumber = (name: string, text: string, { min, max }: { min: number; max: number }) => {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw new OperatorError(`${name} must be a whole number from ${min} to ${max}, not "${text}".`)
  }
  return value
}

export const readYesNo = (name: string, text: string): boolean => {
  if (text !== 'yes' && text !== 'no') throw new OperatorError(`${name} must be yes or no, not "${text}".`)
  return text === 'yes'
}

/** For an option that may be given several times. */
export const collect = (text: string, before: readonly string[]) => [...before, text]
