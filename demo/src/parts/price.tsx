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
  return (
    <span class="price">
      {isLowest && <span class="price-from">From </span>}
      {isReduced && <span class="hidden">Now </span>}
      <span class={isReduced ? 'price-now reduced' : 'price-now'}>{money(price, currency)}</span>
      {isReduced && (
        <>
          <span class="hidden"> instead of </span> <s>{money(compareAt, currency)}</s>
        </>
      )}
    </span>
  )
}
