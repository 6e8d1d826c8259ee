import { hash } from 'node:crypto'

/**
 * Remembers on which line each slug of a file stands, in 16 to 32 bytes a slug whatever its length: a file may name
 * millions. Two slugs share the 64 bits that are kept with a chance of one in a hundred thousand at ten million slugs.
 */
export const createSlugLines = (initialCapacity = 1024) => {
  let keys = new BigUint64Array(initialCapacity)
  let lines = new Float64Array(initialCapacity)
  let count = 0

  const findSlot = (key: bigint) => {
    let slot = Number(key % BigInt(keys.length))
    while (lines[slot] !== 0 && keys[slot] !== key) slot = slot + 1 === keys.length ? 0 : slot + 1
    return slot
  }

  const grow = () => {
    const old = { keys, lines }
    keys = new BigUint64Array(old.keys.length * 2)
    lines = new Float64Array(old.lines.length * 2)
    for (const [i, line] of old.lines.entries()) {
      if (line === 0) continue
      const slot = findSlot(old.keys[i] as bigint)
      keys[slot] = old.keys[i] as bigint
      lines[slot] = line
    }
  }

  return {
    /** The first line that had this slug: the one given, when there was none before. */
    firstLine: (slug: string, line: number): number => {
      const key = hash('sha256', slug, 'buffer').readBigUInt64LE()
      const slot = findSlot(key)
      if (lines[slot] !== 0) return lines[slot] as number
      keys[slot] = key
      lines[slot] = line
      count++
      if (count * 4 > keys.length * 3) grow()
      return line
    },
  }
}
