import { CheckField, SelectField, TextArea, TextField } from '../../../ui/fields.tsx'
import { useLoad } from '../../../ui/load.ts'
import { Show } from '../../../ui/states.tsx'
import type { AdminUpdateSettingsInput, Settings, Setup, WithEtag } from '../api.ts'
import { money, number } from '../format.ts'
import { type Edit, EditForm, useEdit } from '../parts/edit.tsx'
import { admin, loadSession, may, store } from '../session.ts'

type Step = Setup['steps'][number]['name']

/** A setting on a form. `path` is where it is in the settings: `shipping/flat`. */
export type SettingField = {
  path: string
  label: string
  help?: string
  kind?: 'text' | 'area' | 'email' | 'tel' | 'url' | 'amount' | 'whole' | 'check' | 'choice' | 'list'
  /** For a choice: values and texts. */
  options?: readonly (readonly [value: string, text: string])[]
  maxLength?: number
  required?: boolean
  /** An empty number means that there is none. */
  canBeEmpty?: boolean
  /** The field is empty until this step of the setup is done, because what a store begins with was not chosen. */
  step?: Step
}

export type SettingGroup = { title: string; about?: string; fields: readonly SettingField[] }

type Values = Record<string, string | boolean>
type Loaded = Settings & WithEtag & { undecided: readonly Step[] }

const read = (value: unknown, path: string): unknown =>
  path.split('/').reduce<unknown>((part, name) => (part as Record<string, unknown> | null)?.[name], value)

const toText = (value: unknown) => (Array.isArray(value) ? value.join(', ') : String(value ?? ''))

const toValues = (settings: Loaded, fields: readonly SettingField[]): Values =>
  Object.fromEntries(
    fields.map(({ path, kind, step }) => {
      if (step !== undefined && settings.undecided.includes(step)) return [path, '']
      const value = read(settings, path)
      return [path, kind === 'check' ? value === true : toText(value)]
    }),
  )

const toNumber = (text: string) => (text.trim() === '' ? null : Number(text.replace(',', '.')))

const parse = ({ kind, options = [] }: SettingField, value: string | boolean): unknown => {
  if (typeof value === 'boolean') return value
  if (kind === 'amount' || kind === 'whole') return toNumber(value)
  if (kind === 'list') return value.split(/[\s,]+/).flatMap((part) => (part === '' ? [] : [part.toUpperCase()]))
  if (kind !== 'choice') return value
  const isBoolean = options.some(([option]) => option === 'true')
  const isNumber = options.some(([option]) => option === '1')
  return isBoolean ? value === 'true' : isNumber ? toNumber(value) : value
}

/** What to send for the changed fields. The address is sent as a whole. */
const toPatch = (changes: Partial<Values>, fields: readonly SettingField[], all: Values): AdminUpdateSettingsInput => {
  const patch: Record<string, unknown> = {}
  const isAddress = (path: string) => path.startsWith('address/')
  const hasAddress = Object.keys(changes).some(isAddress)
  for (const field of fields) {
    const value = hasAddress && isAddress(field.path) ? all[field.path] : changes[field.path]
    if (value === undefined) continue
    const names = field.path.split('/')
    const last = names.pop() ?? ''
    let part = patch
    for (const name of names) {
      part[name] ??= {}
      part = part[name] as Record<string, unknown>
    }
    part[last] = parse(field, value)
  }
  return patch
}

/** Reads the settings, and which steps of the setup are not done, if a field depends on one. */
const readAll = async (fields: readonly SettingField[]): Promise<Loaded> => {
  const asks = fields.some(({ step }) => step !== undefined)
  const [settings, setup] = await Promise.all([admin().getSettings(), asks ? admin().getSetup() : { steps: [] }])
  return { ...settings, undecided: setup.steps.flatMap(({ name, done }) => (done ? [] : [name])) }
}

/** A page of settings: a form, or plain values for those who may not change them. */
export const SettingsForm = ({ name, groups }: { name: string; groups: readonly SettingGroup[] }) => {
  const fields = groups.flatMap((group) => group.fields)
  const { loaded, reload, replace } = useLoad(`${store.value?.id} settings ${name}`, () => readAll(fields))
  return (
    <Show loaded={loaded} onRetry={reload}>
      {(settings) =>
        may('settings:write') ? (
          <Form {...{ name, groups, fields, settings, onSaved: replace }} />
        ) : (
          <Facts groups={groups} values={toValues(settings, fields)} />
        )
      }
    </Show>
  )
}

const Form = ({
  name,
  groups,
  fields,
  settings,
  onSaved,
}: {
  name: string
  groups: readonly SettingGroup[]
  fields: readonly SettingField[]
  settings: Loaded
  onSaved: (saved: Loaded) => void
}) => {
  const edit: Edit<Values> = useEdit<Loaded, Values>({
    name: `settings ${name}`,
    saved: settings,
    toDraft: (saved) => toValues(saved, fields),
    save: async (changes, ifMatch) => {
      await admin().updateSettings(toPatch(changes, fields, edit.draft), { ifMatch })
      return readAll(fields)
    },
    read: () => readAll(fields),
    onSaved: (saved) => {
      onSaved(saved)
      // The name of the store is in the header, and its locale and time zone are used on every screen.
      if (name === 'general') void loadSession()
    },
  })
  const labels = Object.fromEntries(fields.map(({ path, label }) => [path, label]))
  return (
    <EditForm edit={edit} labels={labels}>
      {groups.map((group) => (
        <section class="panel form" key={group.title}>
          <h2>{group.title}</h2>
          {group.about && <p class="quiet-text">{group.about}</p>}
          {group.fields.map((field) => (
            <Field
              field={field}
              value={edit.draft[field.path] ?? ''}
              onChange={(value) => edit.change({ [field.path]: value })}
              key={field.path}
            />
          ))}
        </section>
      ))}
    </EditForm>
  )
}

const amountPattern = { pattern: '\\s*\\d+([.,]\\d+)?\\s*', title: 'A number such as 79 or 79.50' }
const wholePattern = { pattern: '\\s*\\d+\\s*', title: 'A whole number' }

const Field = ({
  field: { path, label, help, kind = 'text', options = [], maxLength = 300, required = false, canBeEmpty = false },
  value,
  onChange,
}: {
  field: SettingField
  value: string | boolean
  onChange: (value: string | boolean) => void
}) => {
  const common = { label, name: path, ...(help === undefined ? {} : { help }) }
  if (typeof value === 'boolean') return <CheckField {...common} isChecked={value} onChange={onChange} />
  if (kind === 'choice') {
    // What is saved may have another name than those on offer, as the time zone of Kolkata has.
    const isOffered = options.some(([option]) => option === value)
    const offered = isOffered ? options : [[value, value === '' ? 'Not chosen yet' : value] as const, ...options]
    return <SelectField {...common} value={value} options={offered} onChange={onChange} class="short" />
  }
  if (kind === 'area') return <TextArea {...common} value={value} onInput={onChange} maxLength={maxLength} />
  if (kind === 'amount' || kind === 'whole') {
    return (
      <TextField
        {...{ ...common, ...(kind === 'amount' ? amountPattern : wholePattern) }}
        {...{ class: 'short', inputMode: kind === 'amount' ? 'decimal' : 'numeric', maxLength: 15 }}
        {...(kind === 'amount' ? { remark: `in ${store.value?.currency}` } : {})}
        required={!canBeEmpty}
        value={value}
        onInput={onChange}
      />
    )
  }
  const type = kind === 'email' || kind === 'tel' || kind === 'url' ? kind : 'text'
  return <TextField {...{ ...common, maxLength, required, value, type }} onInput={onChange} />
}

const wordValue = ({ kind, options = [] }: SettingField, value: string | boolean | undefined): string => {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (value === undefined || value === '') return 'None'
  if (kind === 'amount') return money(Number(value))
  if (kind === 'whole') return number(Number(value))
  return options.find(([option]) => option === value)?.[1] ?? value
}

const Facts = ({ groups, values }: { groups: readonly SettingGroup[]; values: Values }) => (
  <>
    {groups.map(({ title, fields }) => (
      <section class="panel" key={title}>
        <h2>{title}</h2>
        <dl class="facts">
          {fields.map((field) => (
            <div class="fact" key={field.path}>
              <dt>{field.label}</dt>
              <dd>{wordValue(field, values[field.path])}</dd>
            </div>
          ))}
        </dl>
      </section>
    ))}
  </>
)
