/** The slots that a store may fill with its next claim. */
export type SlotGrant = { storeId: number; slots: number }

/** Gives the slots of one kind to stores round-robin, so that the backlog of one store does not delay others. */
export const createStoreRotation = (concurrency: number) => {
  const maxPerStore = Math.max(1, Math.floor(concurrency / 2))
  /** Minimum size of a claim while other stores wait. Claiming one item at a time would cost a commit for each. */
  const quantum = Math.ceil(concurrency / 8)
  /** Stores that may have due items, in the order in which they are served. */
  const waiting = new Set<number>()
  const slotsByStore = new Map<number, number>()
  let slotsTaken = 0

  const addSlots = (storeId: number, count: number) => {
    slotsTaken += count
    const slots = (slotsByStore.get(storeId) ?? 0) + count
    if (slots > 0) slotsByStore.set(storeId, slots)
    else slotsByStore.delete(storeId)
  }
  const find = (): SlotGrant | undefined => {
    const free = concurrency - slotsTaken
    if (free <= 0) return undefined
    for (const storeId of waiting) {
      const left = maxPerStore - (slotsByStore.get(storeId) ?? 0)
      const share = Math.max(quantum, Math.floor(free / waiting.size))
      if (left > 0) return { storeId, slots: Math.min(left, free, share) }
    }
    return undefined
  }

  return {
    waiting: () => waiting.size,
    /** Adds a store at the end, unless it already waits. */
    add: (storeId: number) => void waiting.add(storeId),
    /** Takes slots for the next store. Undefined when no waiting store can have one. */
    take: (): SlotGrant | undefined => {
      const grant = find()
      if (grant !== undefined) {
        waiting.delete(grant.storeId)
        addSlots(grant.storeId, grant.slots)
      }
      return grant
    },
    release: (storeId: number, slots: number) => addSlots(storeId, -slots),
  }
}
