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
  inputMode?: 'text' | 'tel' | 'decimal' | 'numeric'
  autocomplete?: string
  placeholder?: string
  required?: boolean
  minLength?: number
  maxLength?: number
  /** A regular expression for the whole text. The browser shows `title` when it does not match. */
  pattern?: string
  title?: string
}
// A union, because Preact derives the types of other attributes from `type`.
type Kind =
  | { type?: 'text' }
  | { type: 'email' }
  | { type: 'password' }
  | { type: 'tel' }
  | { type: 'url' }
  | { type: 'date' }
  | { type: 'datetime-local' }

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

type ControlProps = Pick<FieldProps, 'label' | 'remark' | 'help' | 'class' | 'name' | 'required'>

export const TextArea = ({
  label,
  remark,
  help,
  onInput,
  class: extra = '',
  ...input
}: ControlProps & { value: string; onInput: (text: string) => void; rows?: number; maxLength?: number }) => (
  <label class={`field ${extra}`}>
    <span>
      {label}
      {remark && <span class="quiet-text"> {remark}</span>}
    </span>
    <textarea rows={4} {...input} onInput={(event) => onInput(event.currentTarget.value)} />
    {help && <small>{help}</small>}
  </label>
)

/** `options` are pairs of a value and what the person reads. */
export const SelectField = ({
  label,
  remark,
  help,
  value,
  options,
  onChange,
  class: extra = '',
  ...input
}: ControlProps & {
  value: string
  options: readonly (readonly [value: string, text: string])[]
  onChange: (value: string) => void
}) => (
  <label class={`field ${extra}`}>
    <span>
      {label}
      {remark && <span class="quiet-text"> {remark}</span>}
    </span>
    <select {...input} onChange={(event) => onChange(event.currentTarget.value)}>
      {options.map(([option, text]) => (
        <option value={option} selected={option === value} key={option}>
          {text}
        </option>
      ))}
    </select>
    {help && <small>{help}</small>}
  </label>
)

export const CheckField = ({
  label,
  help,
  isChecked,
  onChange,
  name,
}: Pick<FieldProps, 'label' | 'help' | 'name'> & { isChecked: boolean; onChange: (isChecked: boolean) => void }) => (
  <div>
    <label class="check">
      <input
        type="checkbox"
        name={name}
        checked={isChecked}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span>{label}</span>
    </label>
    {help && <small class="check-help">{help}</small>}
  </div>
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
