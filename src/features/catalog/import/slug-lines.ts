import { hash } from 'node:crypto'
import { mustExist } from '../../../core/must-exist.ts'

/**
 * Stores the first line of each slug in about 24 bytes per slug, because a file may have millions. It keeps a 64-bit
 * hash: with ten million slugs, the chance of a collision is about one in a hundred thousand.
 */
export const createSlugLines = (initialCapacity = 1024) => {
  let table = newTable(initialCapacity)
  let count = 0

  const grow = () => {
    const larger = newTable(table.lines.length * 2)
    for (const [i, line] of table.lines.entries()) {
      if (line === 0) continue
      const [high, low] = [numberAt(table.highs, i), numberAt(table.lows, i)]
      put(larger, findSlot(larger, high, low), high, low, line)
    }
    table = larger
  }

  return {
    /** The first line with this slug; `line` if the slug is new. */
    firstLine: (slug: string, line: number): number => {
      const key = hash('sha1', slug, 'buffer')
      const [high, low] = [key.readUInt32LE(0), key.readUInt32LE(4)]
      const slot = findSlot(table, high, low)
      const known = numberAt(table.lines, slot)
      if (known !== 0) return known
      put(table, slot, high, low, line)
      count++
      if (count * 4 > table.lines.length * 3) grow()
      return line
    },
  }
}

type Table = { highs: Uint32Array; lows: Uint32Array; lines: Uint32Array }

const numberAt = (numbers: Uint32Array, i: number) => mustExist(numbers[i], 'a slot of the table')

/** The capacity is a power of two, so that a mask finds the slot. */
const newTable = (capacity: number): Table => ({
  highs: new Uint32Array(capacity),
  lows: new Uint32Array(capacity),
  lines: new Uint32Array(capacity),
})

const findSlot = ({ highs, lows, lines }: Table, high: number, low: number) => {
  const mask = lines.length - 1
  let slot = low & mask
  while (lines[slot] !== 0 && (lows[slot] !== low || highs[slot] !== high)) slot = (slot + 1) & mask
  return slot
}

const put = ({ highs, lows, lines }: Table, slot: number, high: number, low: number, line: number) => {
  highs[slot] = high
  lows[slot] = low
  lines[slot] = line
}
