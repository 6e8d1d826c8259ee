import pg from 'pg'
import { migrate } from '../../src/db/migrate.ts'
import { databaseUrl } from '../harness.ts'

let made = 0

/** A database beside that of the other tests. */
export const makeDatabase = async () => {
  const name = `model_test_${process.pid}_${made++}`
  const url = databaseUrl.replace(/\/[^/]*$/, `/${name}`)
  await run(`create database ${name} encoding 'UTF8' locale 'C.UTF-8' template template0`)
  await migrate({ connectionString: url })
  return { url, drop: () => run(`drop database ${name} with (force)`) }
}

const run = async (text: string) => {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}
