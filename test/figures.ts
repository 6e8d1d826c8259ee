import assert from 'node:assert/strict'
import { days, hours, minutes, seconds } from '../src/core/clock.ts'
import { read } from './documents.ts'

/**
 * The figure that a file of the source gives to a name, wherever in it: `const maxLines = 200`, `maxWaiting = 500` among
 * defaults, `headersTimeout: 15_000`. Read from the text, so that nothing has to be exported for this.
 */
export const figure = (file: string, name: string): number => {
  const source = read(`src/${file}`)
  const [, written] = new RegExp(`\\b${name}\\b\\s*[=:]\\s*(\\w+\\(\\d+\\)|[\\d_]+( \\* [\\d_]+)*)`).exec(source) ?? []
  assert.ok(written, `src/${file} has no figure "${name}"`)
  return new Function('days', 'hours', 'minutes', 'seconds', `return ${written}`)(days, hours, minutes, seconds)
}

/** The text in brackets after a position in the source, such as `maxLength: 200` of a password. */
export const figureIn = (file: string, pattern: RegExp): number => {
  const [, written] = pattern.exec(read(`src/${file}`)) ?? []
  assert.ok(written, `src/${file} has nothing like ${pattern}`)
  return Number(written.replaceAll('_', ''))
}
