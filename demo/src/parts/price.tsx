import { money } from '../format.ts'

export const Price = ({
  price,
  compareAt,
  currency,
  isLowest = false,
}: {
  price: number
  compareAt?: number | null
  currency?: string
  isLowest?: boolean
}) => {
  const isReduced = typeof compareAt === 'number' && compareAt > price
  const now = money(price, currency)
  if (!isReduced) {
    return (
      <span class="price">
        {isLowest && <span class="price-from">From </span>}
        <span class="price-now">{now}</span>
      </span>
    )
  }
  const before = money(compareAt, currency)
  return (
    <span class="price">
      <span class="hidden">{`Now ${isLowest ? 'from ' : ''}${now} instead of ${before}`}</span>
      <span aria-hidden="true">
        {isLowest && <span class="price-from">From </span>}
        <span class="price-now reduced">{now}</span> <s>{before}</s>
      </span>
    </span>
  )
}
