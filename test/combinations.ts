/**
 * Tests that try every endpoint with every invalid value run a third of the combinations in `npm test` and all of them
 * in `npm run test:long`. The third is the diagonals of the table, so each row and each column still occurs: every
 * endpoint meets an invalid value, and every invalid value meets an endpoint.
 */
const runsAll = process.env.TEST_ALL_COMBINATIONS === '1'

export const combine = <Row, Column>(rows: readonly Row[], columns: readonly Column[]): [Row, Column][] => {
  const step = runsAll ? 1 : Math.max(1, Math.min(3, rows.length, columns.length))
  return rows.flatMap((row, i) =>
    columns.filter((_, j) => (i + j) % step === 0).map((column): [Row, Column] => [row, column]),
  )
}

const rounds = new Map<string, number>()

/** A third of the items, the next third on the next call with this label: three calls try all of them. */
export const takeThird = <Item>(label: string, items: readonly Item[]): Item[] => {
  const round = rounds.get(label) ?? 0
  rounds.set(label, round + 1)
  return runsAll || items.length < 3 ? [...items] : items.filter((_, i) => i % 3 === round % 3)
}

/** Every other item, beginning with the first or the second. */
export const takeEveryOther = <Item>(items: readonly Item[], first: number): Item[] =>
  items.filter((_, i) => runsAll || (i + first) % 2 === 0)
