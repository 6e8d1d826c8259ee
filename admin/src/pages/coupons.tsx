import { changeQuery, route } from '../../../ui/router.ts'
import { Empty } from '../../../ui/states.tsx'
import type { StoreCoupon } from '../api.ts'
import { date, money, number } from '../format.ts'
import { couponState, couponStates, discountText } from '../parts/coupon-words.ts'
import { CsvLink } from '../parts/csv-link.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { PagesOf, usePages } from '../parts/pages-of.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { StatusBadge } from '../parts/status.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { admin, may, pathTo } from '../session.ts'

const tabs = [
  ['', 'All'],
  ['running', 'Running'],
  ['not-running', 'Not running'],
] as const

export const CouponsPage = () => {
  const { query } = route.value
  const shown = query.get('show') ?? ''
  const q = query.get('q') ?? ''
  const filter = {
    ...(q && { q }),
    ...(shown === 'running' && { active: true }),
    ...(shown === 'not-running' && { active: false }),
  }
  const list = usePages(`coupons ${JSON.stringify(filter)}`, (cursor) =>
    admin().listCoupons({ ...filter, ...cursor, limit: 50 }),
  )
  return (
    <>
      <PageHead title="Coupons">
        <CsvLink path="coupons" filter={filter} />
        {may('coupons:write') && <NewCouponLink />}
      </PageHead>
      <div class="toolbar">
        <Tabs label="Show" value={shown} tabs={tabs} />
        <SearchField label="Search codes" value={q} onSearch={(text) => changeQuery({ q: text })} />
      </div>
      <PagesOf list={list} one="coupon" empty={Object.keys(filter).length > 0 ? <NoMatch /> : <NoCoupons />}>
        {(coupons) => <CouponTable coupons={coupons} />}
      </PagesOf>
    </>
  )
}

const NewCouponLink = () => (
  <a class="button small" href={pathTo('coupons/new')}>
    New coupon
  </a>
)

const NoCoupons = () => (
  <Empty title="No coupons yet">
    <p>A coupon is a code that customers type in the cart to pay less.</p>
    {may('coupons:write') && (
      <p>
        <a class="button" href={pathTo('coupons/new')}>
          Make the first coupon
        </a>
      </p>
    )}
  </Empty>
)

const NoMatch = () => (
  <Empty title="No coupon matches">
    <p>Try another filter, or search for the beginning of a code.</p>
    <p>
      <a class="button quiet" href={pathTo('coupons')}>
        Show all coupons
      </a>
    </p>
  </Empty>
)

const periodOf = ({ startsAt, endsAt }: StoreCoupon) => {
  // The service keeps the end of the last day.
  const last = endsAt === null ? null : date(new Date(Date.parse(endsAt) - 1).toISOString())
  if (startsAt === null) return last === null ? 'Always' : `Until ${last}`
  return last === null ? `From ${date(startsAt)}` : `${date(startsAt)} to ${last}`
}

const scopeOf = ({ categories, products, minSubtotal }: StoreCoupon) => [
  categories.length + products.length > 0 ? 'some items' : 'the whole order',
  ...(minSubtotal > 0 ? [`from ${money(minSubtotal)}`] : []),
]

const CouponTable = ({ coupons }: { coupons: readonly StoreCoupon[] }) => (
  <table class="table">
    <thead>
      <tr>
        <th scope="col">Code</th>
        <th scope="col">Status</th>
        <th scope="col">Discount</th>
        <th scope="col">Period</th>
        <th scope="col" class="number">
          Used
        </th>
      </tr>
    </thead>
    <tbody>
      {coupons.map((coupon) => (
        <tr key={coupon.id}>
          <th scope="row" class="wraps">
            <a href={pathTo(`coupons/${encodeURIComponent(coupon.code)}`)}>{coupon.code}</a>
          </th>
          <td data-label="Status">
            <StatusBadge words={couponStates} value={couponState(coupon)} />
          </td>
          <td data-label="Discount">
            <span>
              {discountText(coupon)} <span class="quiet-text">{scopeOf(coupon).join(', ')}</span>
            </span>
          </td>
          <td data-label="Period">{periodOf(coupon)}</td>
          <td data-label="Used" class="number">
            {number(coupon.used)}
            {coupon.usageLimit !== null && ` of ${number(coupon.usageLimit)}`}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)
