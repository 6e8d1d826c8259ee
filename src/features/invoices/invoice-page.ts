import { createFormat, type Format } from '../mail/format.ts'
import type { InvoiceContent, InvoiceLine, Party } from './invoice-content.ts'
import { type InvoiceTexts, invoiceTexts } from './invoice-texts.ts'
import type { InvoiceRow } from './invoices.sql.ts'
import { type Html, html, printPage } from './print-page.ts'

/** An invoice or a credit note, for printing. */
export const invoicePage = ({ kind, label, content, issuedAt }: Omit<InvoiceRow, 'refundId'>): string => {
  const texts = invoiceTexts[content.language]
  const format = createFormat(content, content.language)
  const title = kind === 'invoice' ? texts.invoice : texts.creditNote
  const facts: readonly (readonly [string, string])[] = [
    [texts.number, label],
    [texts.date, format.date(issuedAt)],
    ...(content.invoiceLabel === '' ? [] : [[texts.forInvoice, content.invoiceLabel] as const]),
    [texts.order, content.orderNumber],
    [texts.ordered, format.date(content.orderedAt)],
    ...(content.reason === '' ? [] : [[texts.reason, content.reason] as const]),
  ]
  return printPage(
    content.language,
    `${title} ${label}`,
    html`<div class="head"><h1>${title}</h1>${factList(facts)}</div>
<div class="parties">${showParty(texts.from, content.seller, texts)}${showParty(texts.to, content.buyer, texts)}</div>
${lineTable(content, texts, format)}
${sumTable(content, texts, format)}
${content.taxes.length === 0 ? '' : taxTable(content, texts, format)}
${content.taxIncluded ? html`<p class="quiet">${texts.taxIncluded}</p>` : ''}`,
  )
}

export const factList = (facts: readonly (readonly [string, string])[]): Html =>
  html`<dl>${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`

export const showParty = (title: string, { name, lines, taxId, email, phone }: Party, texts: InvoiceTexts): Html =>
  html`<div><h2>${title}</h2><p><strong>${name}</strong></p>${[...lines, phone, email]
    .filter(Boolean)
    .map((line) => html`<p>${line}</p>`)}${taxId === '' ? '' : html`<p>${texts.taxId}: ${taxId}</p>`}</div>`

const lineTable = ({ lines, currency }: InvoiceContent, texts: InvoiceTexts, format: Format) => {
  const money = (minor: number) => format.money(minor, currency)
  const row = (line: InvoiceLine) =>
    html`<tr><td>${line.name || texts.refund}</td><td>${line.sku}</td><td class="number">${format.number(line.quantity)}</td>
<td class="number">${line.unitMinor === null ? '' : money(line.unitMinor)}</td>
<td class="number">${line.discountMinor === 0 ? '' : money(line.discountMinor)}</td>
<td class="number">${line.taxRate === null ? '' : percent(line.taxRate, format)}</td>
<td class="number">${money(line.totalMinor)}</td></tr>
`
  return html`<table><thead><tr><th>${texts.item}</th><th>${texts.sku}</th><th class="number">${texts.quantity}</th>
<th class="number">${texts.price}</th><th class="number">${texts.discount}</th><th class="number">${texts.tax}</th>
<th class="number">${texts.amount}</th></tr></thead><tbody>
${lines.map(row)}</tbody></table>`
}

const percent = (rate: number, format: Format) => `${format.number(rate)}%`

const sumTable = (content: InvoiceContent, texts: InvoiceTexts, format: Format) => {
  const { subtotalMinor, discountMinor, shippingMinor, totalMinor, taxIncluded, taxes, invoiceLabel } = content
  const taxMinor = taxes.reduce((sum, tax) => sum + tax.taxMinor, 0)
  const isInvoice = invoiceLabel === ''
  const sums: readonly (readonly [string, number])[] = [
    ...(isInvoice ? [[texts.subtotal, subtotalMinor] as const] : []),
    ...(discountMinor === 0 ? [] : [[texts.discount, -discountMinor] as const]),
    ...(isInvoice ? [[texts.shipping, shippingMinor] as const] : []),
    ...(isInvoice && !taxIncluded ? [[texts.tax, taxMinor] as const] : []),
    [texts.total, totalMinor],
  ]
  return html`<table class="sums"><tbody>${sums.map(
    ([name, minor]) =>
      html`<tr><td>${name}</td><td class="number">${format.money(minor, content.currency)}</td></tr>
`,
  )}</tbody></table>`
}

const taxTable = ({ taxes, currency }: InvoiceContent, texts: InvoiceTexts, format: Format) =>
  html`<table><thead><tr><th>${texts.taxRate}</th><th class="number">${texts.taxBase}</th><th class="number">${texts.tax}</th></tr></thead>
<tbody>${taxes.map(
    ({ rate, baseMinor, taxMinor }) =>
      html`<tr><td>${percent(rate, format)}</td><td class="number">${format.money(baseMinor, currency)}</td><td class="number">${format.money(taxMinor, currency)}</td></tr>
`,
  )}</tbody></table>`
