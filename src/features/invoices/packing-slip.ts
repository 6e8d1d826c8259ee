import { refuse } from '../../core/domain-errors.ts'
import type { Store } from '../context.ts'
import { createFormat } from '../mail/format.ts'
import { pickMailLanguage } from '../mail/texts/texts.ts'
import type { FullOrderRow } from '../orders/orders.sql.ts'
import { type UnitsOfLine, unitsOf as unitsOfLine } from '../orders/shipment-units.ts'
import { addressLines } from './invoice-content.ts'
import { factList, showParty } from './invoice-page.ts'
import { invoiceTexts } from './invoice-texts.ts'
import { type Html, html, printPage } from './print-page.ts'

export type PackedOrder = {
  order: FullOrderRow
  customer: { name: string; email: string; phone: string }
} & PackedUnits

/** Units to pack. `left`: those that must still be sent. Neither: all that were not refunded. */
type PackedUnits = { shipmentId?: string | undefined; left?: readonly UnitsOfLine[] | undefined }

/** What to pack, without prices. Each order begins a page. */
export const packingSlipPage = (store: Store, packed: readonly PackedOrder[]): string => {
  const language = pickMailLanguage([store.locale])
  const texts = invoiceTexts[language]
  const numbers = packed.map(({ order }) => String(order.number)).join(', ')
  const slips = packed.map(
    (one) => html`<section>${packingSlip(store, one)}</section>
`,
  )
  return printPage(language, `${texts.packingSlip} ${numbers}`, html`${slips}`)
}

const packingSlip = (store: Store, { order, customer, ...packed }: PackedOrder): Html => {
  const language = pickMailLanguage([store.locale])
  const texts = invoiceTexts[language]
  const format = createFormat(store, language)
  const lines = unitsToPack(order, packed)
  const address = order.shippingAddress
  const recipient = {
    ...{
      name: address?.name || customer.name,
      lines: address === null ? [] : addressLines(address, store.locale),
      taxId: '',
    },
    ...{ email: '', phone: address?.phone || customer.phone },
  }
  const sender = {
    name: store.name,
    taxId: '',
    ...store.contact,
    lines: store.address ? addressLines(store.address, store.locale) : [],
  }
  const parcel = order.shipments.find(({ id }) => id === packed.shipmentId)
  const facts: readonly (readonly [string, string])[] = [
    [texts.order, String(order.number)],
    [texts.ordered, format.date(order.createdAt)],
    ...(parcel === undefined ? [] : [[texts.parcel, `${parcel.partner} ${parcel.trackingNumber}`.trim()] as const]),
    [texts.units, format.number(lines.reduce((sum, { quantity }) => sum + quantity, 0))],
  ]
  return html`<div class="head"><h1>${texts.packingSlip}</h1>${factList(facts)}</div>
<div class="parties">${showParty(texts.shipTo, recipient, texts)}${showParty(texts.from, sender, texts)}</div>
<table><thead><tr><th class="number">${texts.quantity}</th><th>${texts.item}</th><th>${texts.sku}</th></tr></thead><tbody>
${lines.map(
  ({ quantity, name, variant, sku }) =>
    html`<tr><td class="number">${format.number(quantity)}</td><td>${[name, variant].filter(Boolean).join(', ')}</td><td>${sku}</td></tr>
`,
)}</tbody></table>
${order.note === '' ? '' : html`<h2>${texts.note}</h2><p>${order.note}</p>`}`
}

const unitsToPack = (order: FullOrderRow, { shipmentId, left }: PackedUnits) => {
  const physical = order.lines.filter(({ digital }) => digital === null)
  const shipment = order.shipments.find(({ id }) => id === shipmentId)
  if (shipmentId !== undefined && shipment === undefined) throw refuse('SHIPMENT_NOT_FOUND', { shipment: shipmentId })
  const unitsOf = (line: FullOrderRow['lines'][number]) => {
    if (left !== undefined) return unitsOfLine(left, line.id)
    if (shipment === undefined) return line.quantity - line.refunded
    if (shipment.items.length === 0) return line.quantity
    return shipment.items.find(({ id }) => id === line.id)?.quantity ?? 0
  }
  return physical.map((line) => ({ ...line, quantity: unitsOf(line) })).filter(({ quantity }) => quantity > 0)
}
