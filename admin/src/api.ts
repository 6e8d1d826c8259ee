import { createStaffClient } from '../../sdk/src/admin.ts'
import { sendForm } from './send-file.ts'

export type * from '../../sdk/src/admin.ts'
export { isVitrineError, VitrineError } from '../../sdk/src/admin.ts'

let onSignedOut = () => {}
/** Called when the service no longer knows the session: it has expired, or was ended on another device. */
export const whenSignedOut = (listener: () => void) => {
  onSignedOut = listener
}

const isOfSession = (address: string) => /\/admin\/v1\/(session|password)/.test(address)

/** An answer that was asked for before the page was loaded. Each is taken once, and none after a change. */
const takeAhead = (address: string, method = 'GET') => {
  const { answersAhead } = globalThis
  const path = address.slice(location.origin.length)
  const answer = answersAhead?.get(path)
  if (method === 'GET') answersAhead?.delete(path)
  else answersAhead?.clear()
  return method === 'GET' ? answer : undefined
}

export const staff = createStaffClient({
  url: location.origin,
  fetch: async (address, init) => {
    const form = init?.body instanceof FormData ? init.body : null
    const text = String(address)
    const response = form
      ? await sendForm(text, form, init ?? {})
      : await (takeAhead(text, init?.method) ?? fetch(address, init))
    if (response.status === 401 && !isOfSession(text)) onSignedOut()
    return response
  },
})
