import { useLoad } from '../../../ui/load.ts'
import { Button, Empty, Show } from '../../../ui/states.tsx'
import type { AdminUpdateMenuInput, Menu, WithEtag } from '../api.ts'
import { EditForm, useEdit } from '../parts/edit.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { admin, may, store } from '../session.ts'

type MenuEntry = AdminUpdateMenuInput['items'][number]
type Kind = MenuEntry['type']
/** An entry of the menu as a row of a flat list: `level` is how far it is indented. */
type Row = { label: string; type: Kind; target: string; level: number }
type Nested = { label: string; type: Kind; target: string; children?: readonly Nested[] | undefined }

const deepest = 2

const kinds: readonly (readonly [Kind, string])[] = [
  ['category', 'Category'],
  ['product', 'Product'],
  ['page', 'Page'],
  ['link', 'Link'],
]

const toRows = (items: readonly Nested[], level = 0): Row[] =>
  items.flatMap(({ label, type, target, children = [] }) => [
    { label, type, target, level },
    ...toRows(children, level + 1),
  ])

/** The rows as nested entries. A row belongs to the nearest row above that is indented less. */
const toEntries = (rows: readonly Row[], level = 0): MenuEntry[] => {
  const entries: MenuEntry[] = []
  for (const [index, { label, type, target, level: own }] of rows.entries()) {
    if (own !== level) continue
    const rest = rows.slice(index + 1)
    const end = rest.findIndex((row) => row.level <= level)
    const children = toEntries(end === -1 ? rest : rest.slice(0, end), level + 1) as MenuEntry['children']
    entries.push({ label, type, target, ...(children?.length ? { children } : {}) })
  }
  return entries
}

const showRows = (rows: readonly Row[]) =>
  rows.map(({ label, target, level }) => `${'– '.repeat(level)}${label}: ${target}`).join('\n')

/** The menu that the shop shows. */
export const MenuPage = () => {
  const { loaded, reload, replace } = useLoad(`${store.value?.id} menu`, () => admin().getMenu())
  return (
    <>
      <PageHead title="Menu of the shop" />
      <Show loaded={loaded} onRetry={reload}>
        {(menu) => <MenuForm menu={menu} onSaved={replace} />}
      </Show>
    </>
  )
}

const MenuForm = ({ menu, onSaved }: { menu: Menu & WithEtag; onSaved: (menu: Menu & WithEtag) => void }) => {
  const edit = useEdit({
    name: 'menu',
    saved: menu,
    toDraft: ({ items }) => ({ rows: toRows(items as readonly Nested[]) }),
    save: ({ rows = [] }, ifMatch) => admin().updateMenu({ items: toEntries(rows) }, { ifMatch }),
    read: () => admin().getMenu(),
    onSaved,
  })
  const { rows } = edit.draft
  const put = (next: readonly Row[]) =>
    edit.change({
      // A row is at most one level deeper than the row above.
      rows: next.map((row, index) => ({
        ...row,
        level: index === 0 ? 0 : Math.min(row.level, (next[index - 1]?.level ?? 0) + 1, deepest),
      })),
    })
  const change = (index: number, changes: Partial<Row>) =>
    put(rows.map((row, at) => (at === index ? { ...row, ...changes } : row)))
  const swap = (index: number) => {
    const [one, other] = [rows[index], rows[index + 1]]
    if (one && other) put(rows.toSpliced(index, 2, other, one))
  }
  if (!may('catalog:write')) return <ReadOnly rows={rows} />
  return (
    <EditForm edit={edit} labels={{ rows: 'Menu' }} words={{ rows: showRows }}>
      {rows.length === 0 && (
        <Empty title="The menu is empty">
          <p>Without one, shops show their categories.</p>
        </Empty>
      )}
      <ol class="menu-rows">
        {rows.map((row, index) => (
          <li class={`menu-row level-${row.level}`} key={index}>
            <input
              {...{ name: 'label', required: true, maxLength: 120, value: row.label, placeholder: 'Text' }}
              aria-label={`Text of entry ${index + 1}`}
              onInput={(event) => change(index, { label: event.currentTarget.value })}
            />
            <select
              name="type"
              aria-label={`Kind of entry ${index + 1}`}
              onChange={(event) => change(index, { type: event.currentTarget.value as Kind })}
            >
              {kinds.map(([kind, text]) => (
                <option value={kind} selected={kind === row.type} key={kind}>
                  {text}
                </option>
              ))}
            </select>
            <input
              {...{ name: 'target', required: true, maxLength: 500, value: row.target }}
              placeholder={
                row.type === 'link' ? 'https://…' : row.type === 'page' ? '/about' : 'Its address, such as mugs'
              }
              aria-label={`Where entry ${index + 1} leads`}
              onInput={(event) => change(index, { target: event.currentTarget.value })}
            />
            <div class="row">
              <RowButton word="up" text="↑" {...{ index, isPossible: index > 0 }} onPress={() => swap(index - 1)} />
              <RowButton
                {...{ word: 'down', text: '↓', index, isPossible: index < rows.length - 1 }}
                onPress={() => swap(index)}
              />
              <RowButton
                {...{ word: 'to the left', text: '←', index, isPossible: row.level > 0 }}
                onPress={() => change(index, { level: row.level - 1 })}
              />
              <RowButton
                {...{ word: 'to the right', text: '→', index }}
                isPossible={index > 0 && row.level < deepest && row.level <= (rows[index - 1]?.level ?? 0)}
                onPress={() => change(index, { level: row.level + 1 })}
              />
              <button type="button" class="text-button" onClick={() => put(rows.toSpliced(index, 1))}>
                Remove<span class="hidden"> entry {index + 1}</span>
              </button>
            </div>
          </li>
        ))}
      </ol>
      <div>
        <Button class="quiet" onClick={() => put([...rows, { label: '', type: 'category', target: '', level: 0 }])}>
          Add entry
        </Button>
      </div>
    </EditForm>
  )
}

const ReadOnly = ({ rows }: { rows: readonly Row[] }) => (
  <ul class="panel">
    {rows.map(({ label, target, level }, index) => (
      <li class={`level-${level}`} key={index}>
        {label} <span class="quiet-text">{target}</span>
      </li>
    ))}
  </ul>
)

const RowButton = ({
  word,
  text,
  index,
  isPossible,
  onPress,
}: {
  word: string
  text: string
  index: number
  isPossible: boolean
  onPress: () => void
}) => (
  <button
    type="button"
    class="icon-button"
    aria-label={`Move entry ${index + 1} ${word}`}
    disabled={!isPossible}
    onClick={onPress}
  >
    {text}
  </button>
)
