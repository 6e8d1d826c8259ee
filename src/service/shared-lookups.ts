import { type LookupPlaces, maxMissesPerMinute, maxWaitingLookups } from '../features/access/lookups.ts'
import { windowOf } from '../features/access/rate-limit.ts'
import { type Permits, slotOf } from './permits.ts'

/** Limits lookups over all workers: each needs a permit, which comes back unless the lookup misses. */
export const createSharedLookups = (permits: Permits): LookupPlaces => ({
  enter: async (client, nowMs) => {
    const slot = slotOf(permits.openPurse('lookup', `lookup:${client}`, maxMissesPerMinute), windowOf(nowMs))
    if (slot.waiting.length >= maxWaitingLookups) return 'crowded'
    const count = await permits.startLookup(slot)
    return count > maxMissesPerMinute ? 'missed' : (isMiss) => permits.finish(slot, isMiss)
  },
})
