import { TextField } from '../../../ui/fields.tsx'
import { changeQuery, route } from '../../../ui/router.ts'
import { Empty } from '../../../ui/states.tsx'
import type { AdminListReturnsInput, AdminReturn } from '../api.ts'
import { dateTime, number } from '../format.ts'
import { CsvLink } from '../parts/csv-link.tsx'
import { returnWords } from '../parts/orders/words.ts'
import { PageHead } from '../parts/page-head.tsx'
import { PagesOf, usePages } from '../parts/pages-of.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { StatusBadge } from '../parts/status.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { admin, pathTo } from '../session.ts'

type Status = NonNullable<AdminListReturnsInput['status']>

const tabs: readonly (readonly [Status | '', string])[] = [
  ['', 'All'],
  ['requested', 'To decide'],
  ['approved', 'Waiting for items'],
  ['received', 'To refund'],
  ['refunded', 'Refunded'],
  ['rejected', 'Rejected'],
]

export const ReturnsPage = () => {
  const { query } = route.value
  const shown = tabs.find(([name]) => name === query.get('show'))?.[0] ?? ''
  const field = (name: string) => query.get(name) ?? ''
  const filter: AdminListReturnsInput = {
    ...(shown === '' ? {} : { status: shown }),
    ...Object.fromEntries(
      ['order', 'from', 'to'].filter((name) => field(name) !== '').map((name) => [name, field(name)]),
    ),
  }
  const list = usePages(
    `returns ${JSON.stringify(filter)}`,
    (cursor) => admin().listReturns({ ...filter, ...cursor, limit: 50 }),
    { liveBy: ({ id }) => id },
  )
  const isPeriod = field('from') !== '' || field('to') !== ''
  const isFiltered = Object.keys(filter).length > 0
  return (
    <>
      <PageHead title="Returns">
        <CsvLink path="returns" filter={filter} />
      </PageHead>
      <div class="toolbar">
        <Tabs label="Show" value={shown} tabs={tabs} />
        <SearchField
          label="Number of an order"
          value={field('order')}
          onSearch={(text) => changeQuery({ order: text })}
        />
      </div>
      <details class="more-filters" open={isPeriod}>
        <summary>More filters</summary>
        <div class="filter-fields">
          {(['from', 'to'] as const).map((name) => (
            <TextField
              {...{ type: 'date', label: name === 'from' ? 'From' : 'To', name, value: field(name) }}
              onInput={(value) => changeQuery({ [name]: value })}
              key={name}
            />
          ))}
        </div>
      </details>
      <PagesOf list={list} one="return" empty={isFiltered ? <NoMatch /> : <NoReturns />}>
        {(returns) => <ReturnTable returns={returns} />}
      </PagesOf>
    </>
  )
}

const NoReturns = () => (
  <Empty title="No returns yet">
    <p>Customers ask for a return in their account. To note one for a customer who has called, open the order.</p>
    <p>
      <a class="button quiet" href={pathTo('orders?show=delivered')}>
        Go to delivered orders
      </a>
    </p>
  </Empty>
)

const NoMatch = () => (
  <Empty title="No return matches">
    <p>Try another filter, or another number.</p>
  </Empty>
)

const ReturnTable = ({ returns }: { returns: readonly AdminReturn[] }) => (
  <table class="table">
    <thead>
      <tr>
        <th scope="col">Return</th>
        <th scope="col">Asked</th>
        <th scope="col">Status</th>
        <th scope="col">Reason</th>
        <th scope="col" class="number">
          Units
        </th>
      </tr>
    </thead>
    <tbody>
      {returns.map(({ id, orderNumber, createdAt, status, reason, items, byCustomer }) => (
        <tr key={id}>
          <th scope="row">
            <a href={pathTo(`returns/${id}`)}>Of order {orderNumber}</a>
          </th>
          <td data-label="Asked">
            {dateTime(createdAt)}
            {!byCustomer && ', by the store'}
          </td>
          <td data-label="Status">
            <StatusBadge words={returnWords} value={status} />
          </td>
          <td data-label="Reason">{reason === '' ? '–' : reason}</td>
          <td data-label="Units" class="number">
            {number(items.reduce((sum, { quantity }) => sum + quantity, 0))}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)
