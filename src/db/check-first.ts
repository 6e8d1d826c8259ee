import type { Db, Queries } from './database.ts'
import { Fragment } from './sql.ts'

/** What must be true before anything is done: a statement that throws if it is not, and a condition for other statements. */
export type Check = { ask(db: Queries): Promise<void>; condition: Fragment }

/** `confirm` asks the check if nothing has asked it yet. */
type Checked = { db: Db; confirm(): Promise<void> }

/**
 * The same database, which sends the check in one packet with the first thing that it is used for, so that it takes no
 * round trip of its own (decision 0064). Unless it is true, nothing is returned or changed, and its failure is the one that
 * is thrown. What `txAfter` sends ahead of its transaction comes before the check.
 */
export const checkFirst = (db: Db, { ask, condition }: Check): Checked => {
  let isTrue = false

  const confirm = async (queries: Queries = db) => {
    if (isTrue) return
    await ask(queries)
    isTrue = true
  }
  /** For a transaction, which undoes what the work does when the check fails. */
  const together = async <Result>(queries: Queries, work: () => Promise<Result>): Promise<Result> => {
    const confirmed = confirm(queries)
    // Work that throws before it returns a promise fails like any other.
    const done = (async () => work())()
    // The check may fail first, and the work because of it.
    done.catch(() => {})
    await confirmed
    return done
  }
  /** Both are answered before the connection is handed back. */
  const readBehind = async <Result>(queries: Queries, read: () => Promise<Result>): Promise<Result> => {
    const [confirmed, done] = await Promise.allSettled([confirm(queries), read()])
    if (confirmed.status === 'rejected') throw confirmed.reason
    if (done.status === 'rejected') throw done.reason
    return done.value
  }

  const wrap = (plain: Db): Db => ({
    ...plain,
    ...sendThrough(plain, async (isRead, send) => {
      if (isTrue) return send(plain)
      if (isRead) return plain.onOneConnection((one) => readBehind(one, () => send(one)))
      await confirm(plain)
      return send(plain)
    }),
    fresh: sendThrough(plain, async (_isRead, send) => {
      await confirm(plain)
      return send(plain.fresh)
    }),
    tx: (work) => plain.tx((tx) => together(tx, () => work(tx))),
    txAfter: (first, work) => plain.txAfter(first, (tx, sent) => together(tx, () => work(tx, sent))),
    quickTx: (statement, work) => {
      if (isTrue) return plain.quickTx(statement, work)
      const quickly = async (queries: Queries) => {
        const done = await statement(mustHave(queries, condition), condition)
        if (done !== undefined) isTrue = true
        return done
      }
      return plain.quickTx(quickly, (tx) => together(tx, () => work(tx)))
    },
    onOneConnection: (work) =>
      plain.onOneConnection(async (one) => {
        await confirm(one)
        return work(one)
      }),
    inQueue: (name) => wrap(plain.inQueue(name)),
  })
  return { db: wrap(db), confirm: () => confirm() }
}

type Send = <Result>(
  isRead: boolean,
  send: (queries: Queries) => Promise<Result>,
  values: readonly unknown[],
) => Promise<Result>

const sendThrough = ({ isDistributed }: Queries, through: Send): Queries => ({
  many: (strings, ...values) => through(isSelect(strings), (queries) => queries.many(strings, ...values), values),
  one: (strings, ...values) => through(isSelect(strings), (queries) => queries.one(strings, ...values), values),
  maybeOne: (strings, ...values) =>
    through(isSelect(strings), (queries) => queries.maybeOne(strings, ...values), values),
  run: (strings, ...values) => through(isSelect(strings), (queries) => queries.run(strings, ...values), values),
  isDistributed,
})

/** It changes nothing: a statement that writes does not begin so, not even with its writing in a `with`. */
const isSelect = ([start = '']: TemplateStringsArray) => /^\s*select\b/.test(start)

const mustHave = (queries: Queries, condition: Fragment) =>
  sendThrough(queries, async (_isRead, send, values) => {
    if (!has(values, condition)) throw new Error('a quick statement must have its condition')
    return send(queries)
  })

const has = (values: readonly unknown[], condition: Fragment): boolean =>
  values.some((value) => value === condition || (value instanceof Fragment && has(value.values, condition)))
