import { compareRow } from './compare.ts'
import type { connectDescriber } from './describe.ts'
import { recordStatements, type SentStatement } from './record.ts'
import type { SqlFile } from './source.ts'

export type CheckOptions = {
  describer: Awaited<ReturnType<typeof connectDescriber>>
  files?: readonly SqlFile[]
  /** `path column` of columns that may be null in their table and never are in these rows, with the reason. */
  neverNull?: Record<string, string>
}

/** Compares the row types of *.sql.ts files with the columns of their statements, and returns what does not agree. */
export const checkRowTypes = async ({ describer, files, neverNull = {} }: CheckOptions): Promise<string[]> => {
  const { statements, unreached, failed } = await recordStatements(files)
  const faults = new Set<string>()
  const excused = new Set<string>()

  const check = async ({ site, text }: SentStatement) => {
    if (site.method === 'run') return void (await describer.parse(text))
    for (const fault of compareRow(site.row, await describer.describe(text))) {
      const excuse = `${site.path} ${fault.column}`
      if (fault.kind === 'null' && excuse in neverNull) excused.add(excuse)
      else faults.add(`${site.path}:${site.line} ${fault.text}`)
    }
  }
  for (const statement of statements) {
    try {
      await check(statement)
    } catch (error) {
      faults.add(`${statement.site.path}:${statement.site.line} is refused: ${error}\n${statement.text}`)
    }
  }
  for (const { path, line } of unreached) faults.add(`${path}:${line} is reached by no sample of the parameters`)
  for (const failure of failed) faults.add(failure)
  const unused = Object.keys(neverNull).filter((name) => !excused.has(name))
  return [...faults, ...unused.map((name) => `neverNull does not need "${name}"`)]
}
