import pg from 'pg'

/** All rows of a database as statements, a row a line, in an order that foreign keys allow; and where sequences stand. */
export const dumpRows = async (connection: pg.ClientConfig, version: string): Promise<string> => {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    await client.query(`set timezone = 'UTC'`)
    const parts = [`-- Made by test/upgrade/make.ts with version ${version}. Do not edit.`]
    for (const table of await tablesInOrder(client)) {
      const { rows } = await client.query(`select to_jsonb(t)::text as row from ${table} t order by t`)
      if (rows.length === 0) continue
      const written = rows.map(({ row }) => `(${pg.escapeLiteral(row)})`).join(',\n')
      parts.push(
        `insert into ${table} overriding system value select made.* from (values\n${written}) as dumped (text), jsonb_populate_record(null::${table}, text::jsonb) made;`,
      )
    }
    const { rows } = await client.query(
      `select sequencename as name, last_value as value from pg_sequences where schemaname = 'public' and last_value is not null`,
    )
    for (const { name, value } of rows) parts.push(`select setval('${name}', ${value});`)
    return `${parts.join('\n')}\n`
  } finally {
    await client.end()
  }
}

/** The number of the newest migration that the older version has made. */
export const readLastMigration = async (connection: pg.ClientConfig): Promise<number> => {
  const client = new pg.Client(connection)
  await client.connect()
  const { rows } = await client.query('select max(number) as last from vitrine_migration')
  await client.end()
  return rows[0].last
}

/** What others refer to comes first. A reference that is checked at the end of the transaction does not count. */
const tablesInOrder = async (client: pg.Client): Promise<string[]> => {
  const { rows: tables } = await client.query(
    `select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'vitrine_migration' order by 1`,
  )
  const { rows: references } = await client.query(
    `select conrelid::regclass::text as from, confrelid::regclass::text as to from pg_constraint
     where contype = 'f' and not condeferred and conrelid <> confrelid`,
  )
  const done: string[] = []
  const visit = (name: string) => {
    if (done.includes(name)) return
    for (const reference of references) if (reference.from === name) visit(reference.to)
    done.push(name)
  }
  for (const { name } of tables) visit(name)
  return done
}
