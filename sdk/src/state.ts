import type { Session } from './options.ts'
import { type ClientStorage, withFallback } from './storage.ts'

const names = {
  session: 'vitrine.session',
  guestToken: 'vitrine.guestToken',
  cartId: 'vitrine.cartId',
  /** The request token of the last one-time password. */
  otpRequest: 'vitrine.otpRequest',
  /** The request token of a one-time password that has signed a customer in. */
  otpProof: 'vitrine.otpProof',
}

/** The shopper of a call: a customer, a guest, or neither. */
export type Identity = { session: Session | null; guest: string | null }

/** The state of a client between calls. It is read from the storage every time, because other tabs can change it. */
export const openState = (storage: ClientStorage) => {
  const stored = withFallback(storage)

  const session = async (): Promise<Session | null> => {
    const text = await stored.get(names.session)
    if (text === null) return null
    try {
      const found = JSON.parse(text)
      return typeof found?.token === 'string' ? found : null
    } catch {
      return null
    }
  }

  const guestToken = () => stored.get(names.guestToken)
  const cartId = () => stored.get(names.cartId)

  let last: Promise<unknown> = Promise.resolve()

  /** Runs changes one after another: most of them read first, and must not act on a value that another one changes. */
  const serialized =
    <Args extends unknown[], Result>(change: (...args: Args) => Promise<Result>) =>
    (...args: Args): Promise<Result> => {
      const result = last.then(() => change(...args))
      last = result.catch(() => {})
      return result
    }

  const setCartId = async (id: string | null) => {
    if ((await cartId()) === id) return
    await (id === null ? stored.remove(names.cartId) : stored.set(names.cartId, id))
  }

  /** Whether the shopper of a call is still the current one. */
  const isCurrent = async (identity: Identity) => {
    if ((await session())?.token !== identity.session?.token) return false
    return identity.session !== null || guestOf(await guestToken()) === guestOf(identity.guest)
  }

  /** Ignores the answer to a shopper who has signed in or out since: it is about another cart. */
  const changeCartId = serialized(async (identity: Identity, id: string | null) => {
    if (await isCurrent(identity)) await setCartId(id)
  })

  return {
    session,
    guestToken,
    cartId,
    otpRequest: () => stored.get(names.otpRequest),
    otpProof: () => stored.get(names.otpProof),
    keepOtpRequest: serialized((token: string) => stored.set(names.otpRequest, token)),
    dropOtpRequest: serialized(() => stored.remove(names.otpRequest)),
    keepOtpProof: serialized(async (token: string) => {
      await stored.set(names.otpProof, token)
      if ((await stored.get(names.otpRequest)) === token) await stored.remove(names.otpRequest)
    }),
    /** Drops the cart id, which is that of the guest or of the previous customer. */
    beginSession: serialized(async (begun: Session) => {
      await stored.set(names.session, JSON.stringify(begun))
      await stored.remove(names.cartId)
    }),
    /** False when another session is stored, because a customer has signed in meanwhile. */
    endSession: serialized(async (token: string): Promise<boolean> => {
      if ((await session())?.token !== token) return false
      await stored.remove(names.session)
      await stored.remove(names.cartId)
      return true
    }),
    /**
     * Answers can arrive out of order. When another call has already stored a token, a second one is ignored, because
     * replacing the guest would lose the cart.
     */
    keepGuestToken: serialized(async (identity: Identity, token: string): Promise<Identity> => {
      if ((await guestToken()) !== identity.guest) return identity
      await stored.setUnlessUnread(names.guestToken, token)
      if (identity.guest !== null && guestOf(token) !== guestOf(identity.guest)) await stored.remove(names.cartId)
      return { session: null, guest: token }
    }),
    dropGuestToken: serialized(async (token: string) => {
      if ((await guestToken()) === token) await stored.remove(names.guestToken)
    }),
    /** Usually the id is unchanged, and then this does not wait for other changes. */
    keepCartId: async (identity: Identity, id: string | null) => {
      if ((await cartId()) !== id) await changeCartId(identity, id)
    },
    dropCartId: serialized(async (id: string) => {
      if ((await cartId()) === id) await setCartId(null)
    }),
    forget: serialized(async () => {
      for (const name of Object.values(names)) await stored.remove(name)
    }),
  }
}

export type State = ReturnType<typeof openState>

/** The first part of a token identifies the guest and stays when the token is renewed. */
export const guestOf = (token: string | null) => token?.split('.')[0]
