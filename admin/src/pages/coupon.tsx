import { useLoad } from '../../../ui/load.ts'
import { showNotice } from '../../../ui/notice.ts'
import type { PathParams } from '../../../ui/router.ts'
import { Button, Empty, Show } from '../../../ui/states.tsx'
import type { CouponUse, StoreCoupon, WithEtag } from '../api.ts'
import { date, dateTime, money, number } from '../format.ts'
import { useAction } from '../parts/action.ts'
import { CouponFields, CouponSentence } from '../parts/coupon-fields.tsx'
import {
  couponLabels,
  couponState,
  couponStates,
  discountText,
  timeWithinDay,
  toCouponDraft,
  toCouponInput,
} from '../parts/coupon-words.ts'
import { EditForm, useEdit } from '../parts/edit.tsx'
import { OrderTable, orderColumns } from '../parts/orders/order-table.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { PagesOf, usePages } from '../parts/pages-of.tsx'
import { StatusBadge } from '../parts/status.tsx'
import { admin, may, pathTo, store } from '../session.ts'

type Saved = StoreCoupon & WithEtag
type Changed = { coupon: Saved; onChange: (coupon: Saved) => void }

const back = { path: 'coupons', label: 'Coupons' }

export const CouponPage = ({ id: code = '' }: PathParams) => {
  const { loaded, reload, replace } = useLoad(`${store.value?.id} coupon ${code}`, (signal) =>
    admin().getCoupon({ code }, { signal }),
  )
  const coupon = loaded.status === 'ready' ? loaded.value : null
  return (
    <>
      <PageHead
        title={coupon?.code ?? code}
        back={back}
        beside={coupon && <StatusBadge words={couponStates} value={couponState(coupon)} />}
      >
        {coupon && may('coupons:write') && (
          <>
            <a class="button quiet small" href={`${pathTo('coupons/new')}?like=${encodeURIComponent(coupon.code)}`}>
              Duplicate
            </a>
            <Switch coupon={coupon} onChange={replace} />
          </>
        )}
      </PageHead>
      <Show loaded={loaded} onRetry={reload}>
        {(shown) => (
          <>
            {may('coupons:write') ? <CouponEdit coupon={shown} onChange={replace} /> : <CouponFacts coupon={shown} />}
            {may('orders:read') && <Uses code={shown.code} />}
          </>
        )}
      </Show>
    </>
  )
}

/** Needs no question, because it can be undone. */
const Switch = ({ coupon: { code, stopped }, onChange }: Changed) => {
  const { isBusy, run } = useAction()
  const turn = (isOff: boolean, isUndo = false) =>
    run(async () => {
      onChange(await admin().updateCoupon({ code, stopped: isOff }))
      const text = isOff ? `${code} is switched off. Orders that have it keep it.` : `${code} is switched on.`
      showNotice(text, isUndo ? {} : { action: { label: 'Undo', run: () => void turn(!isOff, true) } })
    })
  return (
    <Button class="quiet small" isBusy={isBusy} onClick={() => void turn(!stopped)}>
      {stopped ? 'Switch on' : 'Switch off'}
    </Button>
  )
}

const CouponEdit = ({ coupon, onChange }: Changed) => {
  const { code } = coupon
  const edit = useEdit({
    name: `coupon ${code}`,
    saved: coupon,
    toDraft: toCouponDraft,
    save: (changes, ifMatch) => admin().updateCoupon({ code, ...toCouponInput(changes) }, { ifMatch }),
    read: () => admin().getCoupon({ code }),
    onSaved: onChange,
  })
  const isUsed = coupon.used > 0
  return (
    <div class="columns">
      <section class="panel" aria-label="Coupon">
        <EditForm edit={edit} labels={couponLabels}>
          {isUsed && (
            <p>
              <strong>{discountText(coupon)}.</strong> Customers have used it, so the discount itself stays. To change
              it, duplicate the coupon and switch this one off.
            </p>
          )}
          <CouponFields
            {...{ draft: edit.draft, change: edit.change, isUsed }}
            startHelp={timeHelp('Starts', coupon.startsAt)}
            endHelp={timeHelp('Ends', coupon.endsAt)}
          />
        </EditForm>
      </section>
      <div class="beside first">
        <CouponSentence code={code} draft={edit.draft} />
        <Counts {...coupon} />
      </div>
    </div>
  )
}

const timeHelp = (verb: string, iso: string | null) =>
  iso === null || timeWithinDay(iso) === null
    ? undefined
    : `${verb} ${dateTime(iso)}. A day that you choose here counts as a whole.`

const CouponFacts = ({ coupon }: { coupon: StoreCoupon }) => (
  <>
    <CouponSentence code={coupon.code} draft={toCouponDraft(coupon)} />
    <Counts {...coupon} />
  </>
)

const Counts = ({ used, usageLimit, customerLimit, stoppedAt, createdAt, description }: StoreCoupon) => (
  <section class="panel">
    <h2>Uses</h2>
    <dl class="facts">
      <dt>Used</dt>
      <dd>
        {number(used)} {usageLimit === null ? '' : `of ${number(usageLimit)}`}
      </dd>
      <dt>Per customer</dt>
      <dd>{customerLimit === null ? 'No limit' : number(customerLimit)}</dd>
      <dt>Made on</dt>
      <dd>{date(createdAt)}</dd>
      {stoppedAt !== null && (
        <>
          <dt>Switched off</dt>
          <dd>{dateTime(stoppedAt)}</dd>
        </>
      )}
      {description !== '' && (
        <>
          <dt>Description</dt>
          <dd>{description}</dd>
        </>
      )}
    </dl>
  </section>
)

const { placed, status, total } = orderColumns
const discount = { name: 'Discount', class: 'number', show: (use: CouponUse) => money(use.discount) }
const columns = [placed, status, discount, total]

const Uses = ({ code }: { code: string }) => {
  const list = usePages<CouponUse>(`uses of ${code}`, (cursor) =>
    admin().listCouponUses({ code, ...cursor, limit: 20 }),
  )
  return (
    <section class="panel">
      <h2>Orders with this coupon</h2>
      <PagesOf list={list} one="order" empty={<Empty title="No order has used it yet" />}>
        {(uses) => <OrderTable orders={uses.map((use) => ({ ...use, id: use.orderId }))} columns={columns} />}
      </PagesOf>
    </section>
  )
}
