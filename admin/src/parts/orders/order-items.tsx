import type { AdminOrder } from '../../api.ts'
import { counted, money, number } from '../../format.ts'
import { may, pathTo } from '../../session.ts'
import { nameOfLine, type OrderLine, Picture } from './units.tsx'

/** What has become of the units of a line, in words. */
const stateOf = ({ digital, shipped, refunded, toShip }: OrderLine): string[] => {
  if (digital) return ['Download', ...(refunded > 0 ? [`${number(refunded)} refunded`] : [])]
  return [
    ...(shipped > 0 ? [`${number(shipped)} shipped`] : []),
    ...(refunded > 0 ? [`${number(refunded)} refunded`] : []),
    ...(toShip > 0 ? [`${number(toShip)} to ship`] : []),
  ]
}

export const OrderItems = ({ order }: { order: AdminOrder }) => (
  <section class="panel">
    <h2>Items</h2>
    <table class="table plain order-items">
      <thead>
        <tr>
          <th scope="col">Item</th>
          <th scope="col">State</th>
          <th scope="col" class="number">
            Price
          </th>
          <th scope="col" class="number">
            Units
          </th>
          <th scope="col" class="number">
            Total
          </th>
        </tr>
      </thead>
      <tbody>
        {order.items.map((line) => (
          <tr key={line.id}>
            <th scope="row">
              <span class="item-name">
                <Picture line={line} />
                <span>
                  {may('catalog:read') ? (
                    <a href={pathTo(`products/${line.productId}`)}>{nameOfLine(line)}</a>
                  ) : (
                    nameOfLine(line)
                  )}
                  {line.sku !== '' && <small>{line.sku}</small>}
                </span>
              </span>
            </th>
            <td data-label="State">
              <span class="states">
                {stateOf(line).map((text) => (
                  <span key={text}>{text}</span>
                ))}
              </span>
            </td>
            <td data-label="Price" class="number">
              {money(line.price, order.currency)}
            </td>
            <td data-label="Units" class="number">
              {number(line.quantity)}
            </td>
            <td data-label="Total" class="number">
              {money(line.lineTotal, order.currency)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
    <Sums order={order} />
  </section>
)

/** Tax that the prices contain is not added to the total. */
const isTaxIncluded = ({ subtotal, discount, shipping, tax, total }: AdminOrder) =>
  Math.abs(subtotal - discount + shipping + tax - total) > Math.abs(subtotal - discount + shipping - total)

const Sums = ({ order }: { order: AdminOrder }) => {
  const { subtotal, discount, shipping, tax, total, currency, couponCode, refundedTotal } = order
  const units = order.items.reduce((sum, { quantity }) => sum + quantity, 0)
  return (
    <dl class="sums">
      <dt>Subtotal, {counted(units, 'unit')}</dt>
      <dd>{money(subtotal, currency)}</dd>
      {discount > 0 && (
        <>
          <dt>Discount{couponCode ? ` (${couponCode})` : ''}</dt>
          <dd>{money(-discount, currency)}</dd>
        </>
      )}
      <dt>Shipping</dt>
      <dd>{shipping === 0 ? 'Free' : money(shipping, currency)}</dd>
      <dt>{isTaxIncluded(order) ? 'Tax, included' : 'Tax'}</dt>
      <dd>{money(tax, currency)}</dd>
      <dt class="total">Total</dt>
      <dd class="total">{money(total, currency)}</dd>
      {refundedTotal > 0 && (
        <>
          <dt>Refunded</dt>
          <dd>{money(-refundedTotal, currency)}</dd>
          <dt class="total">Kept</dt>
          <dd class="total">{money(total - refundedTotal, currency)}</dd>
        </>
      )}
    </dl>
  )
}
