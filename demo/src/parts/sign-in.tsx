import type { ComponentType } from 'preact'
import { useDraft } from '../../../ui/load.ts'
import { clearNotice } from '../../../ui/notice.ts'
import { Skeleton } from '../../../ui/states.tsx'
import type { Store } from '../shop.ts'
import { storeInfo } from '../state.ts'
import { EmailCodeForm, PhoneCodeForm } from './code-sign-in.tsx'
import { PasswordSignIn } from './password-sign-in.tsx'

type Method = Store['signIn'][number]

const labels: Record<Method, string> = { phone: 'Phone', email: 'E-mail', password: 'Password' }
const forms: Record<Method, ComponentType<{ onForm?: ((isNew: boolean) => void) | undefined }>> = {
  ...{ phone: PhoneCodeForm, email: EmailCodeForm, password: PasswordSignIn },
}

/** The ways to sign in that the service offers. `onForm` is called with whether the form creates an account. All move the guest's cart and wishlist to the customer. */
export const SignInForm = ({ onForm }: { onForm?: (isNew: boolean) => void }) => {
  const [chosen, setChosen] = useDraft<Method | null>('sign-in-method', null)
  const info = storeInfo.value
  if (info === null) return <Skeleton lines={3} />
  const methods = info.signIn
  const method = methods.find((one) => one === chosen) ?? methods[0] ?? 'password'
  const Form = forms[method]
  return (
    <>
      {methods.length > 1 && (
        <fieldset class="methods" aria-label="How to sign in">
          {methods.map((value) => (
            <label class="option" key={value}>
              <input
                type="radio"
                name="method"
                value={value}
                checked={method === value}
                onChange={() => {
                  clearNotice()
                  setChosen(value)
                }}
              />
              <span>{labels[value]}</span>
            </label>
          ))}
        </fieldset>
      )}
      <Form onForm={onForm} />
    </>
  )
}
