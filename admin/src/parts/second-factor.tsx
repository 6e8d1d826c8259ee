import { useEffect, useState } from 'preact/hooks'
import { Dialog, FormDialog } from '../../../ui/dialog.tsx'
import { PasswordField, TextField } from '../../../ui/fields.tsx'
import { showNotice } from '../../../ui/notice.ts'
import { Button } from '../../../ui/states.tsx'
import { type AdminStartSecondFactorAnswer, staff } from '../api.ts'
import { session } from '../session.ts'
import { CopyField } from './copy.tsx'

type Step = 'start' | 'remove' | AdminStartSecondFactorAnswer | { codes: string[] }

/** A code of an authenticator app that signing in asks for. */
export const SecondFactor = ({ isOn }: { isOn: boolean }) => {
  const [step, setStep] = useState<Step | null>(null)
  const close = () => setStep(null)
  return (
    <>
      <section class="panel">
        <h2>
          Second factor <span class={`status ${isOn ? 'good' : ''}`}>{isOn ? 'On' : 'Off'}</span>
        </h2>
        <p>
          {isOn
            ? 'Signing in asks for a code of your authenticator app.'
            : 'With a second factor, a stolen password is not enough to sign in: the code of an app on your phone is needed too.'}
        </p>
        <Button class="quiet" onClick={() => setStep(isOn ? 'remove' : 'start')}>
          {isOn ? 'Switch off' : 'Switch on'}
        </Button>
      </section>
      {step === 'start' && <StartDialog onClose={close} onStarted={setStep} />}
      {step === 'remove' && <RemoveDialog onClose={close} />}
      {typeof step === 'object' && step !== null && 'uri' in step && (
        <ConfirmDialog {...step} onClose={close} onConfirmed={(codes) => setStep({ codes })} />
      )}
      {typeof step === 'object' && step !== null && 'codes' in step && <CodesDialog {...step} onClose={close} />}
    </>
  )
}

const note = (secondFactor: boolean) => {
  const { value } = session
  if (value) session.value = { ...value, staff: { ...value.staff, secondFactor } }
}

/** The dialog would close the one that follows. */
const later = (run: () => void) => setTimeout(run)

const StartDialog = ({
  onClose,
  onStarted,
}: {
  onClose: () => void
  onStarted: (started: AdminStartSecondFactorAnswer) => void
}) => {
  const [password, setPassword] = useState('')
  const start = async () => {
    const started = await staff.startSecondFactor({ password })
    later(() => onStarted(started))
  }
  return (
    <FormDialog title="Switch on the second factor" action="Continue" onClose={onClose} onSubmit={start}>
      <p>
        You need an authenticator app on your phone, such as Google Authenticator, Microsoft Authenticator, Aegis or a
        password manager.
      </p>
      <PasswordField label="Your password" name="password" required value={password} onInput={setPassword} />
    </FormDialog>
  )
}

const ConfirmDialog = ({
  uri,
  secret,
  onClose,
  onConfirmed,
}: AdminStartSecondFactorAnswer & { onClose: () => void; onConfirmed: (codes: string[]) => void }) => {
  const [code, setCode] = useState('')
  const confirm = async () => {
    const { recoveryCodes } = await staff.confirmSecondFactor({ code: code.replaceAll(/\s/g, '') })
    note(true)
    later(() => onConfirmed(recoveryCodes))
  }
  return (
    <FormDialog title="Scan this code with your app" action="Confirm" onClose={onClose} onSubmit={confirm}>
      <QrCode text={uri} />
      <CopyField label="Or type this into the app" value={secret.match(/.{1,4}/g)?.join(' ') ?? secret} />
      <TextField
        {...{ label: 'Code', name: 'code', required: true, inputMode: 'numeric', autocomplete: 'one-time-code' }}
        {...{ class: 'code-field', maxLength: 7, pattern: '\\s*\\d{3}\\s*\\d{3}\\s*', title: 'Six digits' }}
        help="The six digits that the app shows now."
        value={code}
        onInput={setCode}
      />
    </FormDialog>
  )
}

/** The empty border that readers need. */
const quiet = 4

/** Loaded only here, because it is the only screen with such a code. */
const QrCode = ({ text }: { text: string }) => {
  const [drawn, setDrawn] = useState<{ size: number; path: string } | null>(null)
  useEffect(() => {
    import('../qr.ts').then(
      ({ generateQr }) => {
        const code = generateQr(text)
        const all = [...Array(code.size).keys()]
        const dark = all.flatMap((y) =>
          all.filter((x) => code.get(x, y)).map((x) => `M${x + quiet} ${y + quiet}h1v1h-1z`),
        )
        setDrawn({ size: code.size + 2 * quiet, path: dark.join('') })
      },
      // The secret can be typed instead.
      () => setDrawn(null),
    )
  }, [text])
  if (drawn === null) return <div class="qr" />
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${drawn.size} ${drawn.size}`}
      role="img"
      aria-label="QR code for your authenticator app"
    >
      <rect width={drawn.size} height={drawn.size} fill="#fff" />
      <path d={drawn.path} fill="#000" shape-rendering="crispEdges" />
    </svg>
  )
}

const CodesDialog = ({ codes, onClose }: { codes: string[]; onClose: () => void }) => {
  const [file] = useState(() => URL.createObjectURL(new Blob([`${codes.join('\n')}\n`], { type: 'text/plain' })))
  useEffect(() => () => URL.revokeObjectURL(file), [file])
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(codes.join('\n'))
      setCopied(true)
    } catch {
      setCopied(false)
    }
  }
  return (
    <Dialog title="Keep your recovery codes">
      <p>
        The second factor is on. If you lose your phone, each of these {codes.length} codes signs you in once. Keep them
        in a safe place: they are not shown again.
      </p>
      <ul class="codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div class="row dialog-actions">
        <Button class="quiet" onClick={() => void copy()}>
          {isCopied ? 'Copied' : 'Copy'}
        </Button>
        <a class="button quiet" href={file} download="recovery-codes.txt">
          Download
        </a>
        <Button onClick={onClose}>I have kept them</Button>
      </div>
    </Dialog>
  )
}

const RemoveDialog = ({ onClose }: { onClose: () => void }) => {
  const [password, setPassword] = useState('')
  const remove = async () => {
    await staff.removeSecondFactor({ password })
    note(false)
    showNotice('The second factor is off.')
  }
  return (
    <FormDialog
      {...{
        title: 'Switch off the second factor?',
        action: 'Switch off',
        isDangerous: true,
        onClose,
        onSubmit: remove,
      }}
    >
      <p>From then on, your password alone signs you in. Your recovery codes stop working.</p>
      <PasswordField label="Your password" name="password" required value={password} onInput={setPassword} />
    </FormDialog>
  )
}
