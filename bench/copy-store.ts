import type { SellingStore } from './selling-store.ts'

const batch = 2_000

/** The key of a copy, without a practical rate limit as that of the original. */
export const keyOfCopy = (copy: number) => `vsk_${String(copy).padStart(32, '0')}`

const keyInSql = `'vsk_' || lpad(n::text, 32, '0')`
const hashed = (text: string) =>
  `rtrim(translate(encode(sha256(convert_to(${text}, 'UTF8')), 'base64'), '+/', '-_'), '=')`

/** What differs between the original `m` and copy number `n`, whose row in `store` is `c`. */
const changed: Record<string, string> = {
  'store.public_id': `'store_copy' || n`,
  'store.domain': `'https://copy' || n || '.example'`,
  'store.default_outlet_id': 'null',
  'outlet.public_id': `'outlet_copy' || n`,
  'store_key.id': `m.id || n`,
  'store_key.hash': hashed(`case when m.rate_limit = 1000000000 then ${keyInSql} else m.id || n end`),
  'webhook_credential.secret_hash': hashed(`m.secret_hash || n`),
  'store_origin.origin': `'https://copy' || n || '.example'`,
}

/**
 * Copies the rows of a store in all tables, by statements inside the database. Copies are numbered `from` to `to`, and have
 * addresses and keys of their own.
 */
export const copyStore = async (
  { store, query }: SellingStore,
  { from, to, say = () => {} }: { from: number; to: number; say?: (text: string) => void },
) => {
  const statements = await statementsFor({ store, query })
  for (let first = from; first <= to; first += batch) {
    const last = Math.min(to, first + batch - 1)
    // Foreign keys are not checked, because tables refer to each other.
    const texts = ['begin', 'set local session_replication_role = replica', ...statements, 'commit']
    await query(texts.join(';\n').replaceAll('$numbers', `generate_series(${first}, ${last}) n`))
    say(`${last.toLocaleString('en')} stores`)
  }
  say('')
}

const statementsFor = async ({ store, query }: Pick<SellingStore, 'store' | 'query'>) => {
  const columns = (await query(columnsOfTables)) as { table: string; names: string[] }[]
  const add = async ({ table, names }: (typeof columns)[number]) => {
    const owner = table === 'store' ? 'id' : 'store_id'
    const [row] = await query(`select exists (select from ${table} where ${owner} = $1) as "isFilled"`, [store.id])
    if (!row?.isFilled) return
    const copies = table === 'store' ? '' : `join store c on c.public_id = 'store_copy' || n`
    const values = names.map((name) => changed[`${table}.${name}`] ?? copied(name))
    statements.push(
      `insert into ${table} (${names}) select ${values} from $numbers ${copies} join ${table} m on m.${owner} = ${store.id}`,
    )
  }
  const statements: string[] = []
  const isFirst = ({ table }: (typeof columns)[number]) => table === 'store' || table === 'outlet'
  // The store comes before its outlet, whose number the other rows have.
  for (const one of columns.filter(isFirst).reverse()) await add(one)
  statements.push(`
    update store s set default_outlet_id = o.id from $numbers, outlet o
    where s.public_id = 'store_copy' || n and o.store_id = s.id`)
  for (const one of columns.filter((other) => !isFirst(other))) await add(one)
  return statements
}

const copied = (column: string) => {
  if (column === 'store_id') return 'c.id'
  return column === 'outlet_id' ? 'c.default_outlet_id' : `m.${column}`
}

/** Of the table `store` and all that have a `store_id`, without the columns that number rows by themselves. */
const columnsOfTables = `
  select t.relname as table, array_agg(a.attname::text order by a.attnum) as names
  from pg_class t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
  where t.relkind = 'r' and t.relnamespace = 'public'::regnamespace and a.attidentity = '' and a.attgenerated = ''
    and (t.relname = 'store' or exists (select from pg_attribute s where s.attrelid = t.oid and s.attname = 'store_id'))
  group by t.relname order by t.relname`
