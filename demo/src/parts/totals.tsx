import { money } from '../format.ts'
import { storeInfo } from '../state.ts'

type Sums = { subtotal: number; discount: number; shipping: number; tax: number; total: number; currency: string }

export const Totals = ({ sums, couponCode }: { sums: Sums; couponCode?: string | null }) => {
  const info = storeInfo.value
  const show = (amount: number) => money(amount, sums.currency)
  return (
    <dl class="totals">
      <Row name="Subtotal" value={show(sums.subtotal)} />
      {sums.discount > 0 && (
        <Row name={couponCode ? `Discount (${couponCode})` : 'Discount'} value={`− ${show(sums.discount)}`} />
      )}
      <Row name="Delivery" value={sums.shipping === 0 ? 'Free' : show(sums.shipping)} />
      {!info?.taxIncluded && sums.tax > 0 && <Row name="Tax" value={show(sums.tax)} />}
      <Row name="Total" value={show(sums.total)} class="total" />
      {info?.taxIncluded && sums.tax > 0 && (
        <Row name="Tax, included in the total" value={show(sums.tax)} class="quiet-text" />
      )}
    </dl>
  )
}

const Row = ({ name, value, class: extra = '' }: { name: string; value: string; class?: string }) => (
  <div class={extra}>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
)
