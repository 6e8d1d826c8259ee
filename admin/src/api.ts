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

export const staff = createStaffClient({
  url: location.origin,
  fetch: async (address, init) => {
    const form = init?.body instanceof FormData ? init.body : null
    const response = form ? await sendForm(String(address), form, init ?? {}) : await fetch(address, init)
    if (response.status === 401 && !isOfSession(String(address))) onSignedOut()
    return response
  },
})
