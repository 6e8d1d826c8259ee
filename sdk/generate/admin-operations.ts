import { type AdminOperation, adminOperations, staffOperations } from './admin-endpoints.ts'
import { answerName, hasOwnAnswer, inputName } from './endpoints.ts'
import { flagsOf, inputArgument, methodField } from './operations.ts'
import { commentLines, type Named, notice, type Schema, typeOf } from './schema.ts'

/** The text of `src/admin-operations.ts`: the operations of the admin API as tables and as interfaces. */
export const writeAdminOperations = (): string => {
  const ofStore = adminOperations()
  const ofStaff = staffOperations()
  const operations = [...ofStore, ...ofStaff]
  const named: Named = new Map()
  const methodsOf = (some: readonly AdminOperation[]) => some.flatMap((one) => methodLines(one, named)).join('\n')
  const [storeMethods, staffMethods] = [methodsOf(ofStore), methodsOf(ofStaff)]
  const types = [
    ...operations.filter(({ input }) => input !== null).map(inputName),
    ...operations.filter(hasOwnAnswer).map(answerName),
    ...named.keys(),
  ]
  return `${notice}

import type { AdminOperation, ChangeOptions, Counted, WithEtag } from './admin-options.ts'
import type {
${types.join(',\n')}
} from './admin-types.ts'
import type { CsvText } from './csv.ts'
import type { CallOptions } from './options.ts'
import type { Paged } from './paging.ts'

export const adminTable = {
${ofStore.map(tableRow).join('\n')}
} as const satisfies Record<string, AdminOperation>

export const staffTable = {
${ofStaff.map(tableRow).join('\n')}
} as const satisfies Record<string, AdminOperation>

export interface AdminOperations {
${storeMethods}
}

export interface StaffOperations {
${staffMethods}
}
`
}

const tableRow = ({ methodName, method, path, query, body, once, csv, ...operation }: AdminOperation) => {
  const { maxFileBytes, contentType, isPaged, hasEtag } = operation
  const file = maxFileBytes !== undefined
  const flags = { query, body: body ?? file, once, paged: isPaged, csv, file, text: contentType, etag: hasEtag }
  return `  ${methodName}: { ${methodField(method)}path: '${path}'${flagsOf(flags)} },`
}

const methodLines = (operation: AdminOperation, named: Named): string[] => {
  const { methodName, summary, description, method, path, permission, orPermission, csv, isGuarded } = operation
  const permissions = [permission, orPermission].filter((one) => one !== undefined).map((one) => `\`${one}\``)
  const needed = permissions.length === 0 ? '' : `, permission ${permissions.join(' or ')}`
  const call = `\`${method} ${path}\`${needed}`
  const input = inputArgument(operation)
  const options = `options?: ${isGuarded ? 'ChangeOptions' : 'CallOptions'}`
  const line = (args: readonly string[], result: string) => `  ${methodName}(${args.join(', ')}): ${result}`
  const asCsv = `input: ${inputName(operation)} & { format: 'csv' }`
  return [
    ...commentLines([`${summary}.`, description, call].filter(Boolean).join('\n\n'), '  '),
    ...(csv === true ? [line([asCsv, options], 'CsvText')] : []),
    line([...input, options], answerOf(operation, named)),
  ]
}

const answerOf = (operation: AdminOperation, named: Named): string => {
  const { ok, isPaged, hasEtag, name } = operation
  if (ok === null) return 'Promise<void>'
  const style = { input: false, named, indent: '' }
  if (!isPaged) {
    const type = hasOwnAnswer(operation) ? answerName(operation) : typeOf(ok as Schema, style)
    return `Promise<${type}${hasEtag ? ' & WithEtag' : ''}>`
  }
  const { data, nextCursor: _, hasMore: __, ...beside } = (ok as Schema).properties ?? {}
  if (data?.items === undefined) throw new Error(`${name} has a cursor, but no "data"`)
  const isCounted = Object.keys(beside).join() === 'total,totalIsExact'
  const rest = isCounted
    ? 'Counted'
    : typeOf({ type: 'object', properties: beside, required: Object.keys(beside) }, style)
  return `Paged<${typeOf(data.items, style)}, ${rest}>`
}
