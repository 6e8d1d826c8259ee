import { useState } from 'preact/hooks'
import { showNotice } from '../../../ui/notice.ts'
import { Button } from '../../../ui/states.tsx'
import { errorText } from '../format.ts'

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
