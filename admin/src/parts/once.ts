import { dropDrafts, keepDraft, readDraft } from '../../../ui/load.ts'
import { type CallOptions, isVitrineError } from '../api.ts'

/** Keys of actions whose outcome is not known yet, for a browser that keeps nothing. */
const keys = new Map<string, string>()

const randomKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

/**
 * Makes a call at most once, also when it is tried again after a lost connection, an expired session or a reload, and when
 * the dialog was closed and opened in between. The key is the same until the call has succeeded: after a refusal too,
 * because an earlier try, whose answer was lost, may have succeeded. `name` is what is done to what, such as
 * `refund ord_1`.
 */
export const callOnce = async <T>(name: string, call: (options: CallOptions) => Promise<T>): Promise<T> => {
  const draft = `once ${name}`
  const key = keys.get(name) ?? readDraft<string>(draft) ?? randomKey()
  const forget = () => {
    keys.delete(name)
    dropDrafts(draft)
  }
  keys.set(name, key)
  keepDraft(draft, key)
  try {
    const answer = await call({ idempotencyKey: key })
    forget()
    return answer
  } catch (error) {
    // The service knows the key with another content, so the first try has succeeded, and this one is something new.
    if (isVitrineError(error) && error.status === 409) forget()
    throw error
  }
}
