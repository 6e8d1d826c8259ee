import { number } from '../format.ts'
import { type Grouping, labelOfPeriod, nameOfPeriod } from '../period.ts'
import {
  axisOf,
  columnsOf,
  formatOf,
  labelOf,
  listedRows,
  type ReportName,
  type ReportRow,
  reports,
  totalOf,
} from '../reports.ts'
import { may, pathTo } from '../session.ts'
import { Change } from './change.tsx'
import { BarChart, TimeChart } from './chart.tsx'

type Shown = { name: ReportName; rows: readonly ReportRow[]; before: readonly ReportRow[]; by: Grouping }

/** What a row is about. */
const nameOfRow = (name: ReportName, row: ReportRow, by: Grouping) => {
  if (name === 'sales' || name === 'carts') return nameOfPeriod(String(row.period), by)
  if (name === 'tax') return `${number(Number(row.rate))} %`
  if (name === 'coupons') return String(row.code)
  return String(row.name || (name === 'categories' ? 'Without a category' : 'A deleted product'))
}

const linkOfRow = (name: ReportName, { productId, code }: ReportRow) => {
  if (!may('catalog:read')) return undefined
  if (name === 'products') return pathTo(`products/${productId}`)
  return name === 'coupons' ? pathTo(`coupons/${encodeURIComponent(String(code))}`) : undefined
}

const keyOf = (row: ReportRow) =>
  String(row.period ?? row.productId ?? row.code ?? row.rate ?? row.outletId ?? row.categoryId)

/** Totals with their change. Totals of a list that was cut are not known. */
export const ReportFigures = ({ name, rows, before }: Shown) => {
  const fields = reports[name].totals.filter((field) => columnsOf(rows[0]).includes(field))
  if (rows.length === listedRows) return null
  const shown = name === 'carts' ? ['conversion', ...fields] : fields
  return (
    <dl class="figures">
      {shown.map((field) => (
        <div key={field}>
          <dt>{labelOf(field)}</dt>
          <dd>
            <strong>{formatOf(field)(totalOf(rows, field))}</strong>
            {before.length < listedRows && <Change now={totalOf(rows, field)} before={totalOf(before, field)} />}
          </dd>
        </div>
      ))}
    </dl>
  )
}

const mostBars = 12

export const ReportPicture = ({ name, rows, before, by }: Shown) => {
  const { main, isOverTime } = reports[name]
  const format = formatOf(main)
  if (!isOverTime) {
    const bars = rows.slice(0, mostBars).map((row) => ({
      key: keyOf(row),
      name: nameOfRow(name, row, by),
      href: linkOfRow(name, row),
      value: Number(row[main]),
    }))
    return <BarChart title={labelOf(main)} bars={bars} format={format} />
  }
  const points = rows.map((row, index) => ({
    name: nameOfRow(name, row, by),
    label: labelOfPeriod(String(row.period), by),
    value: Number(row[main] ?? 0),
    before: before[index] === undefined ? undefined : Number(before[index][main] ?? 0),
  }))
  const timeName = { day: 'Day', week: 'Week', month: 'Month' }[by]
  return (
    <TimeChart
      {...{ title: labelOf(main), points, format, axis: axisOf(main), timeName, hasTable: false }}
      beforeName="The period before"
    />
  )
}

/** All figures. Its last row has the totals. */
export const ReportTable = ({ name, rows, by }: Shown) => {
  const columns = columnsOf(rows[0])
  const { isOverTime, label } = reports[name]
  const first = isOverTime ? { day: 'Day', week: 'Week', month: 'Month' }[by] : rowNames[name]
  const isWhole = rows.length < listedRows
  return (
    <table class="table report-table">
      <caption class="hidden">{label}</caption>
      <thead>
        <tr>
          <th scope="col">{first}</th>
          {columns.map((field) => (
            <th scope="col" class="number" key={field}>
              {labelOf(field)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const href = linkOfRow(name, row)
          const text = nameOfRow(name, row, by)
          return (
            <tr key={keyOf(row)}>
              <th scope="row">{href === undefined ? text : <a href={href}>{text}</a>}</th>
              {columns.map((field) => (
                <td data-label={labelOf(field)} class="number" key={field}>
                  {row[field] === null ? '–' : formatOf(field)(Number(row[field]))}
                </td>
              ))}
            </tr>
          )
        })}
      </tbody>
      {isWhole && rows.length > 1 && (
        <tfoot>
          <tr>
            <th scope="row">Total</th>
            {columns.map((field) => (
              <td data-label={labelOf(field)} class="number" key={field}>
                {hasTotal(name, field) ? formatOf(field)(totalOf(rows, field)) : ''}
              </td>
            ))}
          </tr>
        </tfoot>
      )}
    </table>
  )
}

const rowNames: Readonly<Record<string, string>> = {
  products: 'Product',
  categories: 'Category',
  outlets: 'Outlet',
  coupons: 'Coupon',
  tax: 'Rate',
}

/** An order with two products is counted with both. */
const hasTotal = (name: ReportName, field: string) => field !== 'orders' || !['products', 'categories'].includes(name)
