import { useRef, useState } from 'preact/hooks'
import { Button } from '../../../ui/states.tsx'

/** A text to copy, such as a link. It can be selected where the browser does not allow to copy. */
export const CopyText = ({ label, text }: { label: string; text: string }) => {
  const input = useRef<HTMLTextAreaElement>(null)
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    input.current?.select()
    try {
      await navigator.clipboard.writeText(text)
      setCopied(true)
    } catch {
      setCopied(false)
    }
  }
  return (
    <div class="copy-text">
      <label class="field">
        <span>{label}</span>
        {/* Wraps on a phone, for those who type it somewhere else. */}
        <textarea ref={input} rows={2} readOnly value={text} onFocus={(event) => event.currentTarget.select()} />
      </label>
      <Button class="quiet" onClick={() => void copy()}>
        {isCopied ? 'Copied' : 'Copy'}
      </Button>
      <span class="hidden" role="status">
        {isCopied ? 'Copied' : ''}
      </span>
    </div>
  )
}
