import type { Language } from '../../core/languages.ts'

export type InvoiceTexts = Record<
  | 'invoice'
  | 'creditNote'
  | 'packingSlip'
  | 'number'
  | 'date'
  | 'order'
  | 'ordered'
  | 'forInvoice'
  | 'reason'
  | 'from'
  | 'to'
  | 'shipTo'
  | 'taxId'
  | 'item'
  | 'sku'
  | 'quantity'
  | 'price'
  | 'discount'
  | 'tax'
  | 'amount'
  | 'refund'
  | 'subtotal'
  | 'shipping'
  | 'total'
  | 'taxRate'
  | 'taxBase'
  | 'taxIncluded'
  | 'note'
  | 'parcel'
  | 'units',
  string
>

export const invoiceTexts: Record<Language, InvoiceTexts> = {
  en: {
    invoice: 'Invoice',
    creditNote: 'Credit note',
    packingSlip: 'Packing slip',
    number: 'Number',
    date: 'Date',
    order: 'Order',
    ordered: 'Ordered',
    forInvoice: 'For invoice',
    reason: 'Reason',
    from: 'Seller',
    to: 'Bill to',
    shipTo: 'Ship to',
    taxId: 'Tax ID',
    item: 'Item',
    sku: 'SKU',
    quantity: 'Quantity',
    price: 'Price',
    discount: 'Discount',
    tax: 'Tax',
    amount: 'Amount',
    refund: 'Refund',
    subtotal: 'Subtotal',
    shipping: 'Shipping',
    total: 'Total',
    taxRate: 'Tax rate',
    taxBase: 'Taxable amount',
    taxIncluded: 'Prices include tax.',
    note: 'Note of the customer',
    parcel: 'Parcel',
    units: 'Units in all',
  },
  hi: {
    invoice: 'बीजक',
    creditNote: 'क्रेडिट नोट',
    packingSlip: 'पैकिंग पर्ची',
    number: 'संख्या',
    date: 'दिनांक',
    order: 'ऑर्डर',
    ordered: 'ऑर्डर का दिनांक',
    forInvoice: 'बीजक संख्या',
    reason: 'कारण',
    from: 'विक्रेता',
    to: 'खरीदार',
    shipTo: 'डिलीवरी का पता',
    taxId: 'कर पहचान संख्या',
    item: 'वस्तु',
    sku: 'SKU',
    quantity: 'मात्रा',
    price: 'मूल्य',
    discount: 'छूट',
    tax: 'कर',
    amount: 'राशि',
    refund: 'रिफ़ंड',
    subtotal: 'उप-योग',
    shipping: 'शिपिंग',
    total: 'कुल',
    taxRate: 'कर की दर',
    taxBase: 'कर योग्य राशि',
    taxIncluded: 'मूल्यों में कर शामिल है।',
    note: 'ग्राहक की टिप्पणी',
    parcel: 'पार्सल',
    units: 'कुल इकाइयाँ',
  },
}
