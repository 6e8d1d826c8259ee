import type pg from 'pg'

type PlanNode = {
  Output?: string[]
  Alias?: string
  'Join Type'?: string
  'Parent Relationship'?: string
  Plans?: PlanNode[]
}

/**
 * The positions of columns that an outer join may leave null. The planner decides, because it knows which conditions
 * turn an outer join into an inner one. Columns of a subquery that the planner does not flatten are not followed.
 */
export const findOuterColumns = async (client: pg.Client, text: string): Promise<ReadonlySet<number>> => {
  // Planning is the slow part of this check.
  if (!/\b(left|right|full)\s+(outer\s+)?join\b/i.test(text)) return new Set()
  const top = await explain(client, text)
  const aliases = outerAliases(top)
  const isOuter = (output: string) => aliases.has(/^\(?("[^"]+"|\w+)\.("[^"]+"|\w+)\)?$/.exec(output)?.[1] ?? '')
  return new Set((top.Output ?? []).flatMap((output, i) => (isOuter(output) ? [i] : [])))
}

/** The plan for any values, which needs none. */
const explain = async (client: pg.Client, text: string): Promise<PlanNode> => {
  const count = new Set(text.match(/\$\d+/g)).size
  const nulls = count === 0 ? '' : `(${Array(count).fill('null').join(', ')})`
  await client.query(`set plan_cache_mode = force_generic_plan; prepare explained as ${text}`)
  const { rows } = await client.query(`explain (verbose, format json) execute explained${nulls}`)
  await client.query('deallocate explained')
  return rows[0]['QUERY PLAN'][0].Plan
}

const nullableSides: Record<string, readonly string[]> = {
  Left: ['Inner'],
  Right: ['Outer'],
  Full: ['Inner', 'Outer'],
}

const outerAliases = (node: PlanNode, isOuter = false): Set<string> => {
  const aliases = new Set(isOuter && node.Alias !== undefined ? [node.Alias] : [])
  const sides = nullableSides[node['Join Type'] ?? ''] ?? []
  for (const child of node.Plans ?? []) {
    const isBelow = isOuter || sides.includes(child['Parent Relationship'] ?? '')
    for (const alias of outerAliases(child, isBelow)) aliases.add(alias)
  }
  return aliases
}
