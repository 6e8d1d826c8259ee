export type Turn = { storeId: number; most: number }

/** Gives the slots of one kind to stores in turn, so that a backlog of one store delays no other. */
export const createStoreTurns = (concurrency: number) => {
  const mostOfStore = Math.max(1, Math.floor(concurrency / 2))
  /** Items that a claim may take while other stores wait: one item a claim would cost a commit for each. */
  const quantum = Math.ceil(concurrency / 8)
  /** Stores that may have due items, in the order of their turns. */
  const waiting = new Set<number>()
  const slotsByStore = new Map<number, number>()
  let slotsTaken = 0

  const addSlots = (storeId: number, count: number) => {
    slotsTaken += count
    const ofStore = (slotsByStore.get(storeId) ?? 0) + count
    if (ofStore > 0) slotsByStore.set(storeId, ofStore)
    else slotsByStore.delete(storeId)
  }
  const find = (): Turn | undefined => {
    const free = concurrency - slotsTaken
    if (free <= 0) return undefined
    for (const storeId of waiting) {
      const left = mostOfStore - (slotsByStore.get(storeId) ?? 0)
      const share = Math.max(quantum, Math.floor(free / waiting.size))
      if (left > 0) return { storeId, most: Math.min(left, free, share) }
    }
    return undefined
  }

  return {
    waiting: () => waiting.size,
    /** Puts a store at the end of the line, unless it waits already. */
    add: (storeId: number) => void waiting.add(storeId),
    /** The next store, with the slots that it takes. Undefined when no slot is free for a store that waits. */
    take: (): Turn | undefined => {
      const turn = find()
      if (turn !== undefined) {
        waiting.delete(turn.storeId)
        addSlots(turn.storeId, turn.most)
      }
      return turn
    },
    release: (storeId: number, slots: number) => addSlots(storeId, -slots),
  }
}
