import { OperatorError } from '../core/operator-error.ts'

export const print = (text: string) => void process.stdout.write(`${text}\n`)

export type OutputOptions = { json?: boolean }

/** One result, for a program with --json and otherwise for a person. */
export const printResult = <Result>(options: OutputOptions, result: Result, show: (result: Result) => string) =>
  print(options.json ? JSON.stringify(result, null, 2) : show(result))

/** Names and values, aligned. */
export const fields = (values: Record<string, unknown>) => {
  const width = Math.max(...Object.keys(values).map((name) => name.length))
  return Object.entries(values)
    .map(([name, value]) => `${name.padEnd(width)}  ${value}`)
    .join('\n')
}

/** Rows under headings, aligned. */
export const table = (headings: readonly string[], rows: readonly (readonly string[])[]) => {
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

/** What a person can mend becomes a sentence; anything else keeps its stack, because it is a fault of ours. */
export const explainFailure = (error: unknown, json: boolean): string => {
  const message = error instanceof OperatorError ? error.message : ((error as Error)?.stack ?? String(error))
  return json ? JSON.stringify({ error: message }) : message
}

export const wholeNumber = (name: string, text: string, { min, max }: { min: number; max: number }) => {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw new OperatorError(`${name} must be a whole number from ${min} to ${max}, not "${text}".`)
  }
  return value
}
