import type { Session } from './options.ts'
import { type ClientStorage, forgiving } from './storage.ts'

const names = { session: 'vitrine.session', guestToken: 'vitrine.guestToken', cartId: 'vitrine.cartId' }

/** What a client remembers between calls, and the rules of changing it. Nothing is kept outside the storage. */
export const openState = (storage: ClientStorage) => {
  const kept = forgiving(storage)

  const session = async (): Promise<Session | null> => {
    const text = await kept.get(names.session)
    if (text === null) return null
    try {
      const found = JSON.parse(text)
      return typeof found?.token === 'string' ? found : null
    } catch {
      return null
    }
  }

  const guestToken = async () => kept.get(names.guestToken)

  return {
    session,
    guestToken,
    cartId: async () => kept.get(names.cartId),
    /** The cart of before belongs to somebody else now. */
    beginSession: async (begun: Session) => {
      await kept.set(names.session, JSON.stringify(begun))
      await kept.remove(names.cartId)
    },
    /** False when that session is not the one that is kept: somebody has signed in anew meanwhile. */
    endSession: async (token: string): Promise<boolean> => {
      if ((await session())?.token !== token) return false
      await kept.remove(names.session)
      await kept.remove(names.cartId)
      return true
    },
    /**
     * Answers overtake each other. A token that came while another call had already made the shopper somebody is left
     * alone, or it would take the cart away.
     */
    keepGuestToken: async (sent: string | null, answered: string) => {
      if ((await guestToken()) !== sent) return
      await kept.set(names.guestToken, answered)
      if (sent !== null && isOtherGuest(answered, sent)) await kept.remove(names.cartId)
    },
    dropGuestToken: async (token: string) => {
      if ((await guestToken()) === token) await kept.remove(names.guestToken)
    },
    keepCartId: async (id: string | null) => {
      if ((await kept.get(names.cartId)) === id) return
      await (id === null ? kept.remove(names.cartId) : kept.set(names.cartId, id))
    },
    forget: async () => {
      for (const name of Object.values(names)) await kept.remove(name)
    },
  }
}

export type State = ReturnType<typeof openState>

/** A renewed token keeps its first part, which is the guest. */
export const isOtherGuest = (token: string, known: string) => token.split('.')[0] !== known.split('.')[0]
