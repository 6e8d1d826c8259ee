import { deliveryFilters, orderStatuses, paymentStatuses } from './order.contract.ts'

export type OrderFacetFilter = {
  status?: string | undefined
  payment?: string | undefined
  delivery?: string | undefined
  attention?: boolean | undefined
}

/** The numbers that `order_facet` gives to orders with these statuses. A status that is not given can be any. */
export const listFacets = ({ status, payment, delivery, attention }: OrderFacetFilter): number[] => {
  const places = (names: readonly string[], wanted: string | undefined) =>
    names.flatMap((name, i) => (wanted === undefined || wanted === name ? [i] : []))
  const flags = attention === undefined ? [0, 1] : [Number(attention)]
  return places(orderStatuses, status).flatMap((s) =>
    places(paymentStatuses, payment).flatMap((p) =>
      places(deliveryFilters, delivery).flatMap((d) => flags.map((f) => (s + 1) * 1000 + (p + 1) * 100 + d * 10 + f)),
    ),
  )
}
