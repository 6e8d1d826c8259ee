import { webhookDeclarations } from '../../src/contract.ts'
import { errorCatalogue } from '../../src/core/errors.ts'
import { adminOperations, staffOperations } from './admin-endpoints.ts'
import { answerName, type Described, hasOwnAnswer, inputName, operationsOfContract } from './endpoints.ts'
import { bareTypeOf, commentLines, type Named, notice, type Schema, typeOf } from './schema.ts'

/** The text of `src/types.ts`: the types of all inputs and answers. */
export const writeTypes = (): string => {
  const named: Named = new Map()
  const ofOperations = typesOf(operationsOfContract(), named)
  const events = eventData(named)
  return [notice, ...shapes(named), ...ofOperations, events, errorCodes()].join('\n\n')
}

/** The text of `src/admin-types.ts`. A type that the storefront client has too comes from there. */
export const writeAdminTypes = (): string => {
  const ofStorefront = namedInStorefront()
  const named: Named = new Map()
  const ofOperations = typesOf([...adminOperations(), ...staffOperations()], named)
  const isShared = (name: string, schema: Schema) => {
    const known = ofStorefront.get(name)
    if (known !== undefined && known !== schema) throw new Error(`two schemas are named ${name}: rename one of them`)
    return known !== undefined
  }
  const imports = [
    `import type { FileToUpload } from './admin-options.ts'`,
    `import type * as Storefront from './types.ts'`,
  ].join('\n')
  return [notice, imports, ...shapes(named, isShared), ...ofOperations].join('\n\n')
}

const namedInStorefront = (): Named => {
  const named: Named = new Map()
  typesOf(operationsOfContract(), named)
  eventData(named)
  shapes(named)
  return named
}

/** The types of answers and inputs that belong to one operation. The named schemas in them are added to `named`. */
const typesOf = (operations: readonly Described[], named: Named): string[] => {
  const inputs = operations
    .filter(({ input }) => input !== null)
    .map((operation) => {
      const type = bareTypeOf(operation.input as Schema, { input: true, named, indent: '' })
      return [`/** The input of \`${operation.name}\`. */`, `export type ${inputName(operation)} = ${type}`].join('\n')
    })
  const answers = operations
    .filter(({ ok }) => ok !== null)
    .flatMap((operation) => {
      const type = typeOf(operation.ok as Schema, { input: false, named, indent: '' })
      if (!hasOwnAnswer(operation)) return []
      return [
        [`/** The answer of \`${operation.name}\`. */`, `export type ${answerName(operation)} = ${type}`].join('\n'),
      ]
    })
  return [...answers, ...inputs]
}

const eventData = (named: Named) => {
  const fields = Object.entries(webhookDeclarations).flatMap(([type, { summary, data }]) => [
    ...commentLines(summary, '  '),
    `  '${type}': ${typeOf(data as Schema, { input: false, named, indent: '  ' })}`,
  ])
  return `/** The \`data\` of the events that are sent to webhook endpoints, by type. */\nexport type EventData = {\n${fields.join('\n')}\n}`
}

/** Writes the named schemas in the order in which they were found. Writing one may add others to the map. */
const shapes = (named: Named, isShared: (name: string, schema: Schema) => boolean = () => false) => {
  const written: string[] = []
  for (const [name, schema] of named) {
    const lines = commentLines(schema.description ?? '', '')
    const type = isShared(name, schema) ? `Storefront.${name}` : bareTypeOf(schema, { input: false, named, indent: '' })
    written.push([...lines, `export type ${name} = ${type}`].join('\n'))
  }
  return written
}

const errorCodes = () => {
  const codes = Object.keys(errorCatalogue).map((code) => `'${code}'`)
  return `/** The error codes of the service. */\nexport type ErrorCode = ${codes.join(' | ')}`
}
