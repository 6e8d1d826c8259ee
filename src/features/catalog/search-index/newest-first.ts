import type { IndexBlock, IndexedProduct, IndexReader, IndexSlots } from '../../context.ts'
import { lateTerm } from './index-file.ts'
import { hasSlot, intersect, takeLastFirst } from './slots.ts'

type Take = (product: IndexedProduct, slot: number) => boolean

/** From the newest on, until `take` returns false. Returns whether it took all. */
export const takeNewestFirst = (
  reader: IndexReader,
  block: IndexBlock,
  slots: IndexSlots | undefined,
  take: Take,
): boolean => {
  if (slots === undefined) return true
  const late = block.isSorted ? undefined : reader.slotsOf(lateTerm, block)
  if (late === undefined) {
    return takeLastFirst(slots, (slot) => {
      const product = reader.productAt(block, slot)
      return product === undefined || take(product, slot)
    })
  }
  // They are few, and the others are in order: reading all to sort them would take most of a search.
  const between = listNewestFirst(reader, block, intersect(slots, late))
  let next = 0
  const takeBetween = (seq: number): boolean => {
    for (let one = between[next]; one !== undefined && one.product.seq > seq; one = between[++next]) {
      if (!take(one.product, one.slot)) return false
    }
    return true
  }
  const tookOthers = takeLastFirst(slots, (slot) => {
    if (hasSlot(late, slot)) return true
    const product = reader.productAt(block, slot)
    return product === undefined || (takeBetween(product.seq) && take(product, slot))
  })
  return tookOthers && takeBetween(0)
}

const listNewestFirst = (reader: IndexReader, block: IndexBlock, slots: IndexSlots) => {
  const found: { product: IndexedProduct; slot: number }[] = []
  takeLastFirst(slots, (slot) => {
    const product = reader.productAt(block, slot)
    if (product !== undefined) found.push({ product, slot })
    return true
  })
  return found.sort((one, other) => other.product.seq - one.product.seq)
}
