import { useState } from 'preact/hooks'
import { FormDialog } from '../../../ui/dialog.tsx'
import { SelectField } from '../../../ui/fields.tsx'
import { Button } from '../../../ui/states.tsx'
import { dateTime } from '../format.ts'
import { type Secret, SecretDialog } from '../parts/copy.tsx'
import { admin, may } from '../session.ts'

const words = {
  payment: {
    title: 'Other payment systems',
    about:
      'Any system can report payments with a user name and a password. Stripe, Razorpay and Juspay do not need them.',
    action: 'New webhook credentials',
  },
  logistics: {
    title: 'Webhook key of carriers',
    about: 'Carriers report deliveries with this key.',
    action: 'New webhook key',
  },
} as const

const overlaps = [
  ['24', 'For 24 more hours'],
  ['168', 'For 7 more days'],
  ['0', 'No longer, because they have leaked'],
] as const

/** Credentials with which payment systems and carriers report events. */
export const RotatePanel = ({ kind }: { kind: keyof typeof words }) => {
  const [isOpen, setOpen] = useState(false)
  const [overlap, setOverlap] = useState('24')
  const [secret, setSecret] = useState<Secret | null>(null)
  const { title, about, action } = words[kind]
  const rotate = async () => {
    const made = await admin().rotateCredential({ kind, overlapHours: Number(overlap) })
    const values = [
      ['User name', made.username] as const,
      ['Password', made.password] as const,
      ['Key', made.key] as const,
    ]
    const { oldValidUntil } = made
    setSecret({
      title: action,
      values: values.flatMap(([label, value]) => (value === undefined ? [] : [[label, value] as const])),
      ...(oldValidUntil === null ? {} : { about: `The old ones work until ${dateTime(oldValidUntil)}.` }),
    })
  }
  if (!may('secrets:write')) return null
  return (
    <section class="panel account" aria-label={title}>
      <h2>{title}</h2>
      <p class="quiet-text">{about}</p>
      <Button class="quiet small" onClick={() => setOpen(true)}>
        {action}
      </Button>
      {isOpen && (
        <FormDialog title={action} action="Replace" isDangerous onSubmit={rotate} onClose={() => setOpen(false)}>
          <p>Whoever reports with the old ones is refused once they end.</p>
          <SelectField
            label="The old ones work"
            name="overlap"
            value={overlap}
            options={overlaps}
            onChange={setOverlap}
          />
        </FormDialog>
      )}
      {secret && <SecretDialog secret={secret} onClose={() => setSecret(null)} />}
    </section>
  )
}
