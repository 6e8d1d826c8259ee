import { SelectField, TextField } from '../../../ui/fields.tsx'
import { useLoad } from '../../../ui/load.ts'
import { changeQuery, route } from '../../../ui/router.ts'
import { Empty, Show, Skeleton } from '../../../ui/states.tsx'
import { counted, number } from '../format.ts'
import { BarChart } from '../parts/chart.tsx'
import { CsvLink } from '../parts/csv-link.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { ReportFigures, ReportPicture, ReportTable } from '../parts/report.tsx'
import { Tabs } from '../parts/tabs.tsx'
import {
  type DayRange,
  type Grouping,
  groupingFor,
  isDay,
  nameOfRange,
  presets,
  rangeBefore,
  readRange,
} from '../period.ts'
import { listedRows, type ReportName, type ReportRow, readReport, reports } from '../reports.ts'
import { admin, may, pathTo, store } from '../session.ts'

const groupings: readonly (readonly [Grouping, string])[] = [
  ['day', 'Day'],
  ['week', 'Week'],
  ['month', 'Month'],
]

const isReport = (name: string): name is ReportName => name in reports
const isGrouping = (name: string | null): name is Grouping => groupings.some(([known]) => known === name)

/** Which report, of when, is in the address. */
export const ReportsPage = () => {
  const { query } = route.value
  const asked = query.get('report') ?? ''
  const shown = asked === 'stock' && may('catalog:read') ? 'stock' : isReport(asked) ? asked : 'sales'
  const tabs = Object.entries(reports).map(([name, { label }]) => [name === 'sales' ? '' : name, label] as const)
  return (
    <>
      <PageHead title="Reports" />
      <div class="toolbar">
        <Tabs
          label="Report"
          parameter="report"
          value={shown === 'sales' ? '' : shown}
          tabs={may('catalog:read') ? [...tabs, ['stock', 'Low in stock']] : tabs}
        />
      </div>
      {shown === 'stock' ? <RunningOut /> : <Report name={shown} />}
    </>
  )
}

const Report = ({ name }: { name: ReportName }) => {
  const { query } = route.value
  const { preset, ...range } = readRange(query)
  const chosen = query.get('by')
  const by = isGrouping(chosen) ? chosen : groupingFor(range)
  const { isOverTime } = reports[name]
  const input = isOverTime ? { ...range, by } : range
  const key = `${store.value?.id} report ${name} ${range.from} ${range.to} ${isOverTime ? by : ''}`
  const { loaded, reload } = useLoad(key, async () => {
    const [rows, before] = await Promise.all([
      readReport(name, input),
      readReport(name, { ...input, ...rangeBefore(range) }),
    ])
    return { rows, before }
  })
  return (
    <>
      <div class="report-period">
        <SelectField
          {...{ label: 'Period', name: 'period', value: preset ?? '' }}
          options={[
            ...Object.entries(presets).map(([value, { label }]) => [value, label] as const),
            ...(preset === null ? [['', 'Other dates'] as const] : []),
          ]}
          onChange={(period) => changeQuery({ period, from: null, to: null }, { replace: false })}
        />
        {isOverTime && (
          <SelectField
            {...{ label: 'By', name: 'by', value: by, options: groupings }}
            onChange={(value) => changeQuery({ by: value }, { replace: false })}
          />
        )}
        <DateField label="From" name="from" range={range} />
        <DateField label="To" name="to" range={range} />
        <CsvLink path={`reports/${name}`} filter={{ ...input, ...(hasLimit(name) ? { limit: 10_000 } : {}) }} />
      </div>
      <p class="quiet-text">
        {nameOfRange(range)}, compared with {nameOfRange(rangeBefore(range))}. Days are those of {store.value?.timezone}
        .
      </p>
      <Show loaded={loaded} onRetry={reload} skeleton={<Skeleton lines={8} />}>
        {({ rows, before }) => <ReportBody {...{ name, rows, before, by }} />}
      </Show>
    </>
  )
}

const hasLimit = (name: ReportName) => !reports[name].isOverTime && name !== 'tax'

const ReportBody = ({
  name,
  ...shown
}: {
  name: ReportName
  rows: readonly ReportRow[]
  before: readonly ReportRow[]
  by: Grouping
}) => {
  if (shown.rows.length === 0) {
    return (
      <Empty title="Nothing in this period">
        <p>{reports[name].empty}</p>
      </Empty>
    )
  }
  return (
    <>
      <section class="panel" aria-label={reports[name].label}>
        <ReportFigures name={name} {...shown} />
        <ReportPicture name={name} {...shown} />
      </section>
      <ReportTable name={name} {...shown} />
      {shown.rows.length === listedRows && (
        <p class="quiet-text">The {number(listedRows)} best are shown. The CSV file has more.</p>
      )}
    </>
  )
}

/** A date that is typed goes into the address when it makes a period. */
const DateField = ({ label, name, range }: { label: string; name: 'from' | 'to'; range: DayRange }) => (
  <TextField
    {...{ label, name, type: 'date', value: range[name] }}
    onInput={(day) => {
      if (!isDay(day)) return
      const next = { ...range, [name]: day }
      // The other end follows, so that there is always a period.
      const { from, to } = next.from <= next.to ? next : { from: day, to: day }
      changeQuery({ from, to, period: null })
    }}
  />
)

/** What is left of what is low in stock, fewest first. */
const RunningOut = () => {
  const { loaded, reload } = useLoad(
    `${store.value?.id} report stock`,
    async () => await admin().listStock({ stock: 'low', limit: 100 }),
  )
  return (
    <>
      <div class="report-period">
        <CsvLink path="stock" filter={{ stock: 'low' }} />
        <a class="button quiet small" href={pathTo('stock?show=low')}>
          Change stock
        </a>
      </div>
      <Show loaded={loaded} onRetry={reload} skeleton={<Skeleton lines={8} />}>
        {({ items, total, totalIsExact }) =>
          items.length === 0 ? (
            <Empty title="Nothing is low in stock">
              <p>Products appear here when their stock reaches the level that you set in the settings.</p>
            </Empty>
          ) : (
            <section class="panel" aria-label="Low in stock">
              <p class="quiet-text" role="status">
                {totalIsExact ? counted(total, 'item') : `At least ${counted(total, 'item')}`} low in stock or sold out
                {items.length < total && `, of which ${number(items.length)} are shown`}
              </p>
              <BarChart
                title="Units left"
                bars={items
                  .toSorted((a, b) => a.available - b.available)
                  .map(({ variantId, productId, outletId, name, variant, sku, available, lowStockThreshold }) => ({
                    key: `${variantId} ${outletId}`,
                    name,
                    href: pathTo(`products/${productId}`),
                    value: available,
                    detail: [variant, sku, outletId === 'main' ? '' : outletId, `low at ${number(lowStockThreshold)}`]
                      .filter(Boolean)
                      .join(' · '),
                  }))}
                format={(units) => (units <= 0 ? 'Sold out' : `${number(units)} left`)}
              />
            </section>
          )
        }
      </Show>
    </>
  )
}
