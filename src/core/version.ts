import { readFileSync } from 'node:fs'

/** The version of this code. */
export const packageVersion: string = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
).version

/** Whether a version is older than another. What follows the three numbers, such as `-rc.1`, does not count. */
export const isOlderVersion = (version: string, other: string): boolean => {
  const [a, b] = [numbersOf(version), numbersOf(other)]
  const i = a.findIndex((number, i) => number !== b[i])
  return i >= 0 && (a[i] ?? 0) < (b[i] ?? 0)
}

const numbersOf = (version: string) => {
  const numbers = /^(\d+)\.(\d+)\.(\d+)/.exec(version)
  if (numbers === null) throw new Error(`not a version: ${version}`)
  return numbers.slice(1).map(Number)
}
