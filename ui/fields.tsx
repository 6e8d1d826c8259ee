import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

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

type LabelProps = { [name in 'remark' | 'help' | 'class']?: string | undefined } & { label: string }
type Described = { id: string; 'aria-describedby': string | undefined }

/** A control with its label, which alone is its name. The help below it is its description. */
export const Field = ({
  label,
  remark,
  help,
  class: extra = '',
  children,
}: LabelProps & { children: (own: Described) => ComponentChildren }) => {
  const id = useId()
  const helpId = help && `${id}-help`
  return (
    <div class={`field ${extra}`}>
      <label for={id}>
        {label}
        {remark && <span class="quiet-text"> {remark}</span>}
      </label>
      {children({ id, 'aria-describedby': helpId })}
      {help && <small id={helpId}>{help}</small>}
    </div>
  )
}

export const TextField = ({ label, remark, help, onInput, class: extra, ...input }: FieldProps & Kind) => (
  <Field {...{ label, remark, help, class: extra }}>
    {(own) => <input {...own} {...input} onInput={(event) => onInput(event.currentTarget.value)} />}
  </Field>
)

type ControlProps = Pick<FieldProps, 'label' | 'remark' | 'help' | 'class' | 'name' | 'required'>

export const TextArea = ({
  label,
  remark,
  help,
  onInput,
  class: extra,
  ...input
}: ControlProps & { value: string; onInput: (text: string) => void; rows?: number; maxLength?: number }) => (
  <Field {...{ label, remark, help, class: extra }}>
    {(own) => <textarea rows={4} {...own} {...input} onInput={(event) => onInput(event.currentTarget.value)} />}
  </Field>
)

/** `options` are pairs of a value and what the person reads. */
export const SelectField = ({
  label,
  remark,
  help,
  value,
  options,
  onChange,
  class: extra,
  ...input
}: ControlProps & {
  value: string
  options: readonly (readonly [value: string, text: string])[]
  onChange: (value: string) => void
}) => (
  <Field {...{ label, remark, help, class: extra }}>
    {(own) => (
      <select {...own} {...input} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map(([option, text]) => (
          <option value={option} selected={option === value} key={option}>
            {text}
          </option>
        ))}
      </select>
    )}
  </Field>
)

export const CheckField = ({
  label,
  help,
  isChecked,
  onChange,
  name,
}: Pick<FieldProps, 'label' | 'help' | 'name'> & { isChecked: boolean; onChange: (isChecked: boolean) => void }) => {
  const helpId = useId()
  return (
    <div>
      <label class="check">
        <input
          type="checkbox"
          name={name}
          checked={isChecked}
          aria-describedby={help && helpId}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        <span>{label}</span>
      </label>
      {help && (
        <small class="check-help" id={helpId}>
          {help}
        </small>
      )}
    </div>
  )
}

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
