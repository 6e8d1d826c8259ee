type Tone = 'good' | 'bad' | 'warn' | 'plain'
type Words = Readonly<Record<string, [text: string, tone: Tone]>>

export const statusWords: Words = {
  pending: ['Waiting for payment', 'warn'],
  paid: ['Confirmed', 'good'],
  out_for_delivery: ['On the way', 'plain'],
  delivered: ['Delivered', 'good'],
  cancelled: ['Cancelled', 'plain'],
  refunded: ['Refunded', 'plain'],
}

export const paymentWords: Words = {
  pending: ['Unpaid', 'warn'],
  paid: ['Paid', 'good'],
  cash: ['Cash on delivery', 'plain'],
  failed: ['Failed', 'bad'],
  partially_refunded: ['Refunded in part', 'plain'],
  refunded: ['Refunded', 'plain'],
}

export const deliveryWords: Words = {
  none: ['Not shipped', 'plain'],
  part: ['Shipped in part', 'warn'],
  shipped: ['Shipped', 'plain'],
  digital: ['Download', 'plain'],
  out_for_delivery: ['On the way', 'plain'],
  delivered: ['Delivered', 'good'],
}

export const StatusBadge = ({ words, value }: { words: Words; value: string }) => {
  const [text, tone] = words[value] ?? [value, 'plain']
  return <span class={`status ${tone}`}>{text}</span>
}

export const productWords: Words = {
  ACTIVE: ['Active', 'good'],
  DRAFT: ['Draft', 'plain'],
  ARCHIVED: ['Archived', 'warn'],
}
