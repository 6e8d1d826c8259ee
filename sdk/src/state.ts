import type { Session } from './options.ts'
import { type ClientStorage, forgiving } from './storage.ts'

const names = {
  session: 'vitrine.session',
  guestToken: 'vitrine.guestToken',
  cartId: 'vitrine.cartId',
  /** Of the last request for a code. */
  otpRequest: 'vitrine.otpRequest',
  /** Of a request whose code has signed a customer in. */
  otpProof: 'vitrine.otpProof',
}

/** Who a call is made as: a customer, a guest, or nobody in particular. */
export type Identity = { session: Session | null; guest: string | null }

/** What a client remembers between calls, and the rules of changing it. All of it is read anew every time. */
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

  const guestToken = () => kept.get(names.guestToken)
  const cartId = () => kept.get(names.cartId)

  let last: Promise<unknown> = Promise.resolve()

  /** One change after another: most of them look first, and must not act on what another is about to change. */
  const inTurn =
    <Args extends unknown[], Result>(change: (...args: Args) => Promise<Result>) =>
    (...args: Args): Promise<Result> => {
      const result = last.then(() => change(...args))
      last = result.catch(() => {})
      return result
    }

  const setCartId = async (id: string | null) => {
    if ((await cartId()) === id) return
    await (id === null ? kept.remove(names.cartId) : kept.set(names.cartId, id))
  }

  /** Whether the shopper is still the one as whom a call was made. */
  const isStill = async (asked: Identity) => {
    if ((await session())?.token !== asked.session?.token) return false
    return asked.session !== null || guestOf(await guestToken()) === guestOf(asked.guest)
  }

  /** An answer to somebody who has signed in or out since then tells nothing about the cart of now. */
  const changeCartId = inTurn(async (asked: Identity, id: string | null) => {
    if (await isStill(asked)) await setCartId(id)
  })

  return {
    session,
    guestToken,
    cartId,
    otpRequest: () => kept.get(names.otpRequest),
    otpProof: () => kept.get(names.otpProof),
    keepOtpRequest: inTurn((token: string) => kept.set(names.otpRequest, token)),
    dropOtpRequest: inTurn(() => kept.remove(names.otpRequest)),
    keepOtpProof: inTurn(async (token: string) => {
      await kept.set(names.otpProof, token)
      if ((await kept.get(names.otpRequest)) === token) await kept.remove(names.otpRequest)
    }),
    /** The cart of before belongs to somebody else now. */
    beginSession: inTurn(async (begun: Session) => {
      await kept.set(names.session, JSON.stringify(begun))
      await kept.remove(names.cartId)
    }),
    /** False when that session is not the one that is kept: somebody has signed in anew meanwhile. */
    endSession: inTurn(async (token: string): Promise<boolean> => {
      if ((await session())?.token !== token) return false
      await kept.remove(names.session)
      await kept.remove(names.cartId)
      return true
    }),
    /**
     * Answers overtake each other. A token that came while another call had already made the shopper somebody is left
     * alone, or it would take the cart away.
     */
    keepGuestToken: inTurn(async (asked: Identity, answered: string): Promise<Identity> => {
      if ((await guestToken()) !== asked.guest) return asked
      await kept.setUnlessUnread(names.guestToken, answered)
      if (asked.guest !== null && guestOf(answered) !== guestOf(asked.guest)) await kept.remove(names.cartId)
      return { session: null, guest: answered }
    }),
    dropGuestToken: inTurn(async (token: string) => {
      if ((await guestToken()) === token) await kept.remove(names.guestToken)
    }),
    /** Mostly an answer tells what is known, and then there is no turn to wait for. */
    keepCartId: async (asked: Identity, id: string | null) => {
      if ((await cartId()) !== id) await changeCartId(asked, id)
    },
    dropCartId: inTurn(async (id: string) => {
      if ((await cartId()) === id) await setCartId(null)
    }),
    forget: inTurn(async () => {
      for (const name of Object.values(names)) await kept.remove(name)
    }),
  }
}

export type State = ReturnType<typeof openState>

/** A renewed token keeps its first part, which is the guest. */
export const guestOf = (token: string | null) => token?.split('.')[0]
