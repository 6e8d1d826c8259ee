import { useState } from 'preact/hooks'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/fields.tsx'
import { Button } from '../../../ui/states.tsx'

/** A value to use elsewhere, with a button that copies it. */
export const CopyField = ({ label, value, help }: { label: string; value: string; help?: string }) => {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value)
      setCopied(true)
    } catch {
      // Without permission the person selects the text, which a click on the field does.
    }
  }
  return (
    <div class="copy">
      <Field label={label} help={help}>
        {(own) => <input {...own} readOnly value={value} onClick={(event) => event.currentTarget.select()} />}
      </Field>
      <Button class="quiet" onClick={() => void copy()}>
        {isCopied ? 'Copied' : 'Copy'}
        <span class="hidden"> {label.toLowerCase()}</span>
      </Button>
      <span class="hidden" role="status">
        {isCopied ? 'Copied' : ''}
      </span>
    </div>
  )
}

export type Secret = { title: string; about?: string; values: readonly (readonly [label: string, value: string])[] }

/** Shows secrets once. Only the button closes it, because they cannot be shown again. */
export const SecretDialog = ({ secret, onClose }: { secret: Secret; onClose: () => void }) => (
  <Dialog title={secret.title}>
    <div class="form">
      <p class="warning">Copy it now and keep it safe. It is not shown again.</p>
      {secret.values.map(([label, value]) => (
        <CopyField label={label} value={value} key={label} />
      ))}
      {secret.about && <p>{secret.about}</p>}
      <div class="row dialog-actions">
        <Button onClick={onClose}>Done</Button>
      </div>
    </div>
  </Dialog>
)
