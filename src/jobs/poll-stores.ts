import type { DueStore } from './job-kind.ts'

type WaitingStore = { storeId: number; waiting: number; nextAt: Date; isDue: boolean }

/**
 * For kinds in which very many stores can have something that waits: a poll reads `perPoll` stores, and the next one goes
 * on behind the last of them.
 */
export const pollStoresInTurn = (
  perPoll: number,
  find: (afterStore: number) => Promise<readonly WaitingStore[]>,
): (() => Promise<DueStore[]>) => {
  let after = 0
  return async () => {
    const stores = await find(after)
    after = stores.length < perPoll ? 0 : (stores.at(-1)?.storeId ?? 0)
    return stores
      .filter(({ isDue }) => isDue)
      .map(({ storeId, waiting, nextAt }) => ({ storeId, waiting, oldestAt: nextAt }))
      .sort((a, b) => a.oldestAt.getTime() - b.oldestAt.getTime())
  }
}
