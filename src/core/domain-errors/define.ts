export type DomainErrorKind = 'invalid' | 'notFound' | 'conflict' | 'unavailable'

export type Definition<Data> = { kind: DomainErrorKind; text: (data: Data) => string }
export type NoData = Record<string, never>
export type Named = { id: string; name: string }

const define =
  (kind: DomainErrorKind) =>
  <Data>(text: (data: Data) => string): Definition<Data> => ({ kind, text })

/** One function for each kind. */
export const refusals = {
  invalid: define('invalid'),
  notFound: define('notFound'),
  conflict: define('conflict'),
  unavailable: define('unavailable'),
}

/** `store_1 (Blue Door), store_2 (Red Door)` */
export const listNamed = (things: readonly Named[]) => things.map(({ id, name }) => `${id} (${name})`).join(', ')
