import { useLoad } from '../../../ui/load.ts'
import { route } from '../../../ui/router.ts'
import { Empty } from '../../../ui/states.tsx'
import type { AuditEntry } from '../api.ts'
import { actionOptions, linkOfEntry, resourceOptions, tellAction, tellField, tellValue } from '../audit-words.ts'
import { counted, dateTime } from '../format.ts'
import { isDay } from '../period.ts'
import { admin, may, store } from '../session.ts'
import { CsvLink } from './csv-link.tsx'
import { FilterDay, FilterSelect, OnlyAbout } from './filters.tsx'
import { PagesOf, usePages } from './pages-of.tsx'

/** What staff, programs and operators have changed. */
export const AuditLog = () => {
  const { query } = route.value
  const read = (name: string) => query.get(name) || undefined
  const day = (name: string) => (isDay(query.get(name) ?? '') ? read(name) : undefined)
  const about = read('about')
  const filter = {
    ...{ actor: read('person'), resource: about, resourceId: read('thing'), action: read('action') },
    ...{ from: day('from'), to: day('to') },
  }
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  const list = usePages(
    `audit ${JSON.stringify(filter)}`,
    (cursor) => admin().listAudit({ ...filter, ...cursor, limit: 30 }),
    { liveBy: ({ id }) => id },
  )
  const people = usePeople(list.loaded.status === 'ready' ? list.loaded.value.items : [])
  return (
    <>
      <div class="report-period">
        <FilterSelect label="Person" name="person" options={people} />
        <FilterSelect label="About" name="about" options={resourceOptions} clears="action" />
        {about !== undefined && actionOptions(about).length > 0 && (
          <FilterSelect label="What was done" name="action" options={actionOptions(about)} />
        )}
        <FilterDay label="From" name="from" />
        <FilterDay label="To" name="to" />
        <CsvLink path="audit" filter={filter} />
      </div>
      {filter.resourceId !== undefined && <OnlyAbout name="thing" what={filter.resourceId} />}
      <PagesOf
        list={list}
        one="change"
        empty={
          <Empty title={isFiltered ? 'Nothing matches' : 'Nothing has been changed yet'}>
            <p>{isFiltered ? 'Try other filters.' : 'Every change by staff appears here.'}</p>
          </Empty>
        }
      >
        {(entries) => (
          <ul class="entries">
            {entries.map((entry) => (
              <Entry entry={entry} key={entry.id} />
            ))}
          </ul>
        )}
      </PagesOf>
    </>
  )
}

/** Those whose entries are shown, and all staff for those who may see them. */
const usePeople = (entries: readonly AuditEntry[]) => {
  const { loaded } = useLoad(`${store.value?.id} people`, async () =>
    may('staff:write') ? (await admin().listStaff()).data : [],
  )
  const people = new Map(entries.map(({ actorId, actorName }) => [actorId, actorName]))
  if (loaded.status === 'ready') for (const { id, name, email } of loaded.value) people.set(id, name || email)
  return [...people].sort(([, a], [, b]) => a.localeCompare(b))
}

const Entry = ({ entry }: { entry: AuditEntry }) => {
  const { at, actorKind, actorName, action, resource, resourceId, clientAddress, changes } = entry
  const link = linkOfEntry(resource, resourceId)
  const fields = Object.entries(changes).map(toField)
  // Of a new thing everything is new, which is rarely worth the space.
  const isNew = fields.length > 4 && fields.every(([, { before }]) => before === null)
  return (
    <li class="entry">
      <div class="entry-head">
        <p>
          <strong>{actorName}</strong>
          {actorKind === 'token' && <span class="quiet-text"> (program)</span>} {tellAction(action)}
        </p>
        <span class="quiet-text">
          {dateTime(at)}
          {clientAddress !== '' && ` · ${clientAddress}`}
        </span>
      </div>
      {fields.length > 0 &&
        (isNew || fields.length > 8 ? (
          <details class="more">
            <summary>{counted(fields.length, 'field')}</summary>
            <Changes fields={fields} />
          </details>
        ) : (
          <Changes fields={fields} />
        ))}
      <div class="row">
        {link !== null && <a href={link.href}>{link.text}</a>}
        {resource !== 'session' && (
          <a href={`?show=changes&about=${resource}&thing=${encodeURIComponent(resourceId)}`}>Everything about it</a>
        )}
      </div>
    </li>
  )
}

type FieldChange = { before: unknown; after: unknown }

const toField = ([name, change]: [string, unknown]): [string, FieldChange] => {
  const { before = null, after = null }: Partial<FieldChange> = change ?? {}
  return [name, { before, after }]
}

const Changes = ({ fields }: { fields: readonly [string, FieldChange][] }) => (
  <ul class="changes">
    {fields.map(([name, { before, after }]) => (
      <li key={name}>
        {tellField(name)}:{' '}
        {before !== null && (
          <>
            <span class="hidden">from </span>
            <del>{tellValue(name, before)}</del>
            <span aria-hidden="true"> → </span>
            <span class="hidden"> to </span>
          </>
        )}
        <ins>{tellValue(name, after)}</ins>
      </li>
    ))}
  </ul>
)
