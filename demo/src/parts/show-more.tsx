import { useState } from 'preact/hooks'
import { errorText } from '../format.ts'
import { showNotice } from '../notice.ts'
import { Button } from './states.tsx'

/** The button below a list that has another page. */
export const ShowMore = ({ readMore }: { readMore: () => Promise<void> }) => {
  const [isBusy, setBusy] = useState(false)
  const read = async () => {
    setBusy(true)
    try {
      await readMore()
    } catch (error) {
      showNotice(errorText(error))
    }
    setBusy(false)
  }
  return (
    <p class="more">
      <Button class="quiet" isBusy={isBusy} onClick={read}>
        Show more
      </Button>
    </p>
  )
}
