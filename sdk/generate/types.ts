import { webhookDeclarations } from '../../src/contract.ts'
import { errorCatalogue } from '../../src/core/errors.ts'
import { answerName, hasOwnAnswer, inputName, operationsOfContract } from './endpoints.ts'
import { bareTypeOf, commentLines, type Named, type Schema, typeOf } from './schema.ts'

const notice = '// Generated from the contract of the service by `npm run generate`. Do not edit.'

/** The text of `src/types.ts`: the types of all inputs and answers. */
export const writeTypes = (): string => {
  const named: Named = new Map()
  const operations = operationsOfContract()
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
  const events = eventData(named)
  return [notice, ...shapes(named), ...answers, ...inputs, events, errorCodes()].join('\n\n')
}

const eventData = (named: Named) => {
  const fields = Object.entries(webhookDeclarations).flatMap(([type, { summary, data }]) => [
    ...commentLines(summary, '  '),
    `  '${type}': ${typeOf(data as Schema, { input: false, named, indent: '  ' })}`,
  ])
  return `/** The \`data\` of the events that are sent to webhook endpoints, by type. */\nexport type EventData = {\n${fields.join('\n')}\n}`
}

/** Writes the named schemas in the order in which they were found. Writing one may add others to the map. */
const shapes = (named: Named) => {
  const written: string[] = []
  for (const [name, schema] of named) {
    const lines = commentLines(schema.description ?? '', '')
    const type = bareTypeOf(schema, { input: false, named, indent: '' })
    written.push([...lines, `export type ${name} = ${type}`].join('\n'))
  }
  return written
}

const errorCodes = () => {
  const codes = Object.keys(errorCatalogue).map((code) => `'${code}'`)
  return `/** The error codes of the service. */\nexport type ErrorCode = ${codes.join(' | ')}`
}
