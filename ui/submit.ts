import { useState } from 'preact/hooks'

/** Sends a form once at a time. After a failure everything stays as it was typed, with the reason. */
export const useSubmit = (run: () => Promise<void>) => {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const submit = async (event: Event) => {
    event.preventDefault()
    if (isBusy) return
    setBusy(true)
    setError(null)
    try {
      await run()
    } catch (thrown) {
      setError(thrown)
    } finally {
      setBusy(false)
    }
  }
  return { isBusy, error, submit }
}
