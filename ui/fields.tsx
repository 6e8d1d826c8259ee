type FieldProps = {
  label: string
  /** Beside the label, such as "(optional)". */
  remark?: string
  /** Below the input. */
  help?: string
  class?: string
  value: string
  onInput: (text: string) => void
  name: string
  inputMode?: 'text' | 'tel'
  autocomplete?: string
  placeholder?: string
  required?: boolean
  minLength?: number
  maxLength?: number
}
// A union, because Preact derives the types of other attributes from `type`.
type Kind = { type?: 'text' } | { type: 'email' } | { type: 'password' } | { type: 'tel' }

export const TextField = ({ label, remark, help, onInput, class: extra = '', ...input }: FieldProps & Kind) => (
  <label class={`field ${extra}`}>
    <span>
      {label}
      {remark && <span class="quiet-text"> {remark}</span>}
    </span>
    <input {...input} onInput={(event) => onInput(event.currentTarget.value)} />
    {help && <small>{help}</small>}
  </label>
)

export const NameField = (field: Pick<FieldProps, 'value' | 'onInput'>) => (
  <TextField label="Name" name="name" autocomplete="name" required maxLength={120} {...field} />
)

export const EmailField = (field: Omit<FieldProps, 'name'>) => (
  <TextField type="email" name="email" autocomplete="email" maxLength={254} {...field} />
)

const minPasswordLength = 8

/** For the current password. */
export const PasswordField = (field: FieldProps) => (
  <TextField type="password" autocomplete="current-password" maxLength={200} {...field} />
)

/** For a password that is being chosen. */
export const NewPasswordField = (field: FieldProps) => (
  <TextField
    type="password"
    autocomplete="new-password"
    required
    minLength={minPasswordLength}
    maxLength={200}
    help={`At least ${minPasswordLength} characters.`}
    {...field}
  />
)
