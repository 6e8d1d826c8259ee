/**
 * The products of a block that have a word: their slots in ascending order, or a bit for each slot if that is shorter. Two
 * lists are combined in the shorter of the two ways, so that common words cost as little as rare ones.
 */
export type Slots = Uint16Array | Uint32Array

/** Slots have sixteen bits. */
export const slotsInBlock = 65_536

/** Quicker than `instanceof`. */
const isList = (slots: Slots): slots is Uint16Array => slots.BYTES_PER_ELEMENT === 2

export const hasSlot = (slots: Slots, slot: number): boolean => {
  if (!isList(slots)) return (((slots[slot >> 5] ?? 0) >>> (slot & 31)) & 1) === 1
  const place = placeOf(slots, slot)
  return slots[place] === slot
}

/** The place of the first slot that is not less, between two places. */
const placeOf = (list: Uint16Array, slot: number, from = 0) => {
  let [low, high] = [from, list.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((list[middle] ?? 0) < slot) low = middle + 1
    else high = middle
  }
  return low
}

/** Slots that are in both. */
export const intersect = (one: Slots, other: Slots): Slots => {
  if (isList(one)) return isList(other) && other.length < one.length ? pick(other, one) : pick(one, other)
  if (isList(other)) return pick(other, one)
  const bits = new Uint32Array(Math.min(one.length, other.length))
  for (let i = 0; i < bits.length; i++) bits[i] = (one[i] ?? 0) & (other[i] ?? 0)
  return bits
}

/** Those of a list that are in the other, which is longer if it is a list. */
const pick = (list: Uint16Array, other: Slots): Uint16Array => {
  const found = new Uint16Array(list.length)
  return found.subarray(0, isList(other) ? pickFromList(list, other, found) : pickFromBits(list, other, found))
}

const pickFromList = (list: Uint16Array, other: Uint16Array, found: Uint16Array) => {
  let [count, place] = [0, 0]
  for (const slot of list) {
    place = placeOf(other, slot, place)
    if (place === other.length) break
    if (other[place] === slot) found[count++] = slot
  }
  return count
}

const pickFromBits = (list: Uint16Array, bits: Uint32Array, found: Uint16Array) => {
  let count = 0
  for (const slot of list) if ((((bits[slot >> 5] ?? 0) >>> (slot & 31)) & 1) === 1) found[count++] = slot
  return count
}

/** So many are put together as a list. */
const shortUnion = 500

/** Slots that are in any of them. Undefined if there are none. */
export const unite = (all: readonly Slots[]): Slots | undefined => {
  if (all.length < 2) return all[0]
  const lists = all.filter(isList)
  const slots = lists.reduce((sum, { length }) => sum + length, 0)
  if (lists.length === all.length && slots <= shortUnion) return mergeLists(lists, slots)
  const bits = new Uint32Array(slotsInBlock >> 5)
  for (const slots of all) {
    if (isList(slots)) for (const slot of slots) setBit(bits, slot)
    else for (let i = 0; i < slots.length; i++) bits[i] = (bits[i] ?? 0) | (slots[i] ?? 0)
  }
  return bits
}

const mergeLists = (lists: readonly Uint16Array[], length: number): Uint16Array => {
  const merged = new Uint16Array(length)
  let at = 0
  for (const list of lists) {
    merged.set(list, at)
    at += list.length
  }
  merged.sort()
  let count = 0
  for (const slot of merged) if (count === 0 || merged[count - 1] !== slot) merged[count++] = slot
  return merged.subarray(0, count)
}

const setBit = (bits: Uint32Array, slot: number) => {
  bits[slot >> 5] = (bits[slot >> 5] ?? 0) | (1 << (slot & 31))
}

/** From the last slot down, until `take` returns false. Returns whether it took all. */
export const takeLastFirst = (slots: Slots, take: (slot: number) => boolean): boolean => {
  if (isList(slots)) {
    for (let i = slots.length - 1; i >= 0; i--) if (!take(slots[i] ?? 0)) return false
    return true
  }
  for (let i = slots.length - 1; i >= 0; i--) {
    let word = slots[i] ?? 0
    while (word !== 0) {
      const bit = 31 - Math.clz32(word)
      word &= ~(1 << bit)
      if (!take(i * 32 + bit)) return false
    }
  }
  return true
}

/** How they are kept in the file. */
export type PackedSlots = { count: number; data: Uint8Array }

/** `slots` in ascending order. */
export const packSlots = (slots: Uint16Array): PackedSlots => {
  const last = slots.at(-1) ?? 0
  const words = (last >> 5) + 1
  if (words * 4 >= slots.length * 2) return { count: slots.length, data: bytesOf(slots) }
  const bits = new Uint32Array(words)
  for (const slot of slots) setBit(bits, slot)
  return { count: slots.length, data: bytesOf(bits) }
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Slots) => new Uint8Array(buffer, byteOffset, byteLength)

/** Bits are shorter than two bytes a slot, so the length tells the two apart. */
export const unpackSlots = ({ count, data }: PackedSlots): Slots => {
  const { buffer, byteOffset, byteLength } = byteOf4(data)
  return byteLength === count * 2
    ? new Uint16Array(buffer, byteOffset, count)
    : new Uint32Array(buffer, byteOffset, byteLength >> 2)
}

/** Numbers of four bytes begin at a multiple of four. */
const byteOf4 = (data: Uint8Array) => (data.byteOffset % 4 === 0 ? data : data.slice())

export const listSlots = (slots: Slots): number[] => {
  const all: number[] = []
  takeLastFirst(slots, (slot) => all.push(slot) > 0)
  return all.reverse()
}

/** Ascending numbers in few bytes: each as the difference to the one before, with seven bits a byte. */
export const packNumbers = (numbers: readonly number[]): Uint8Array => {
  const bytes: number[] = []
  let before = 0
  for (const number of numbers) {
    let rest = number - before
    before = number
    for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
    bytes.push(rest)
  }
  return Uint8Array.from(bytes)
}

export const unpackNumbers = (bytes: Uint8Array): number[] => {
  const numbers: number[] = []
  let [number, factor] = [0, 1]
  for (const byte of bytes) {
    number += (byte & 127) * factor
    factor *= 128
    if (byte > 127) continue
    numbers.push(number)
    factor = 1
  }
  return numbers
}
