import type { Method } from '../../src/http/endpoint.ts'
import { nameOf } from '../../src/http/schema.ts'
import {
  answerName,
  type Described,
  hasOwnAnswer,
  inputName,
  type Operation,
  operationsOfContract,
} from './endpoints.ts'
import { commentLines, type Named, notice, type Schema, typeOf } from './schema.ts'

/** The text of `src/operations.ts`: the operations as a table for the client and as an interface for its users. */
export const writeOperations = (): string => {
  const operations = operationsOfContract()
  const names: Named = new Map()
  const methods = operations.flatMap((operation) => methodLines(operation, names))
  const types = [
    ...operations.filter(({ input }) => input !== null).map(inputName),
    ...operations.filter(hasOwnAnswer).map(answerName),
    ...names.keys(),
  ]
  return `${notice}

import type { CallOptions, Merged, Redirect, SignInOptions } from './options.ts'
import type { BesideItems, Paged } from './paging.ts'
import type { HttpOperation } from './request.ts'
import type {
${types.join(',\n')}
} from './types.ts'

export type Operation = HttpOperation & {
  /** Who may call: \`store\` and \`sign-in\` anyone, \`shopper\` guests and customers, the others only customers. */
  readonly access: 'store' | 'sign-in' | 'shopper' | 'customer' | 'asserted'
  /** Starts a session. */
  readonly signsIn?: true
}

export const operations = {
${operations.map(tableRow).join('\n')}
} as const satisfies Record<string, Operation>

export type OperationName = keyof typeof operations

export interface Operations {
${methods.join('\n')}
}
`
}

const tableRow = ({ name, method, path, access, query, body, once, isPaged, isSignIn, isRedirect }: Operation) => {
  const flags = { query, body, once, paged: isPaged, signsIn: isSignIn, redirect: isRedirect }
  return `  ${name}: { ${methodField(method)}path: '${path}', access: '${access}'${flagsOf(flags)} },`
}

export const methodField = (method: Method) => (method === 'GET' ? '' : `method: '${method}', `)

/** The flags that are set, as the rest of a row. */
export const flagsOf = (flags: Record<string, unknown>) =>
  Object.entries(flags)
    .filter(([, value]) => value)
    .map(([flag]) => `, ${flag}: true`)
    .join('')

const methodLines = (operation: Operation, names: Named): string[] => {
  const { name, summary, description, method, path, scope } = operation
  const scopeText = scope === undefined ? '' : `, scope \`${scope}\``
  const text = [`${summary}.`, description, `\`${method} ${path}\`${scopeText}`].filter(Boolean).join('\n\n')
  const answer = answerOf(operation, names)
  const input = inputArgument(operation)
  const line = (options: string, result: string) => `  ${name}(${[...input, options].join(', ')}): ${result}`
  if (operation.isSignIn) {
    return [
      ...commentLines(text, '  '),
      line('options: SignInOptions & { merge: true }', `Promise<${answer} & Merged>`),
      line('options?: SignInOptions', `Promise<${answer}>`),
    ]
  }
  return [...commentLines(text, '  '), line('options?: CallOptions', answer)]
}

export const inputArgument = (operation: Described) => {
  if (operation.input === null) return []
  const isNeeded = (operation.input.required ?? []).length > 0
  return [`input${isNeeded ? '' : '?'}: ${inputName(operation)}`]
}

const answerOf = (operation: Operation, named: Named): string => {
  const { ok, isPaged, isRedirect, isSignIn } = operation
  if (isRedirect) return 'Promise<Redirect>'
  if (ok === null) return 'Promise<void>'
  const style = { input: false, named, indent: '' }
  if (!isPaged) {
    const name = hasOwnAnswer(operation) ? answerName(operation) : typeOf(ok as Schema, style)
    return isSignIn ? name : `Promise<${name}>`
  }
  const { items, properties } = ok as Schema
  const item = typeOf((items ?? properties?.data?.items) as Schema, style)
  return nameOf(ok) === undefined ? `Paged<${item}>` : `Paged<${item}, BesideItems<${typeOf(ok as Schema, style)}>>`
}
