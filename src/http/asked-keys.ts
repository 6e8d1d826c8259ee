/** A power of two. They take 256 kB. */
const slots = 65_536

/**
 * Tells whether a key was asked for before. It remembers the last keys only, one in each slot, and a key that has taken the
 * slot of another makes that one look new. Two keys may be mistaken for each other, once in four billion.
 */
export const createAskedKeys = () => {
  const hashes = new Uint32Array(slots)
  return (store: number, key: string): boolean => {
    const hash = hashKey(store, key)
    const slot = (hash ^ (hash >>> 16)) & (slots - 1)
    const isKnown = hashes[slot] === hash
    hashes[slot] = hash
    return isKnown
  }
}

/** FNV-1a, of which no one expects more than different numbers for different keys. */
const hashKey = (store: number, key: string) => {
  let hash = 0x811c9dc5 ^ store
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
