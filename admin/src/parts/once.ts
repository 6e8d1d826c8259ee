import { type CallOptions, isVitrineError } from '../api.ts'

/** Keys of actions whose outcome is not known yet, by the name of the action. */
const keys = new Map<string, string>()

const randomKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

/**
 * Makes a call at most once, also when it is tried again after a lost connection, and when the dialog was closed and opened
 * in between: the key is the same until the service has answered. `name` is what is done to what, such as `refund ord_1`.
 */
export const callOnce = async <T>(name: string, call: (options: CallOptions) => Promise<T>): Promise<T> => {
  const key = keys.get(name) ?? randomKey()
  keys.set(name, key)
  try {
    const answer = await call({ idempotencyKey: key })
    keys.delete(name)
    return answer
  } catch (error) {
    if (isDecided(error)) keys.delete(name)
    throw error
  }
}

/** Refused before the action was looked at: an earlier try, whose answer was lost, may have succeeded. */
const undecided = [401, 408, 429]

const isDecided = (error: unknown) =>
  isVitrineError(error) && error.status >= 400 && error.status < 500 && !undecided.includes(error.status)
