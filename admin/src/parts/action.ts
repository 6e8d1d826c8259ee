import { useState } from 'preact/hooks'
import { showNotice } from '../../../ui/notice.ts'
import { wordProblem } from '../format.ts'

/** What a button does. A failure is told in a notice. */
export const useAction = () => {
  const [isBusy, setBusy] = useState(false)
  const run = async (work: () => Promise<unknown>) => {
    setBusy(true)
    try {
      await work()
    } catch (error) {
      showNotice(wordProblem(error))
    } finally {
      setBusy(false)
    }
  }
  return { isBusy, run }
}
