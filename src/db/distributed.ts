/**
 * Whether the rows of stores are on several servers (decision 0053), as a condition: Citus gives each table that it has
 * distributed this trigger. Its own catalog says it too, but a statement that names it fails where there is no Citus.
 */
export const storesAreSpread = `exists (
  select from pg_trigger t join pg_proc f on f.oid = t.tgfoid
  where t.tgrelid = to_regclass('store') and f.proname = 'citus_truncate_trigger')`

/** Use `isDistributed` of a `Db` or `Tx`, which asks once. */
export const isDistributed = async (ask: (text: string) => Promise<{ rows: { yes?: boolean }[] }>): Promise<boolean> =>
  (await ask(`select ${storesAreSpread} as yes`)).rows[0]?.yes === true

/** Keeps the answer. `isKnown`: it was asked for, and is yes. */
export const askOnce = () => {
  let asked: Promise<boolean> | undefined
  const keep = async (ask: () => Promise<boolean>) => {
    try {
      answer.isKnown = await ask()
      return answer.isKnown
    } catch (error) {
      asked = undefined
      throw error
    }
  }
  const answer = {
    isKnown: false,
    ask: (ask: () => Promise<boolean>): Promise<boolean> => (asked ??= keep(ask)),
  }
  return answer
}
