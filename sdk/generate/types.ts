import { errorCatalogue } from '../../src/core/errors.ts'
import { answerName, hasOwnAnswer, inputName, operationsOfContract } from './endpoints.ts'
import { bareTypeOf, commentLines, type Named, type Schema, typeOf } from './schema.ts'

const notice = '// Made from the contract of the service by `npm run generate`. Do not edit.'

/** `src/types.ts`: every shape that goes in or comes out. */
export const writeTypes = (): string => {
  const named: Named = new Map()
  const operations = operationsOfContract()
  const inputs = operations
    .filter(({ input }) => input !== null)
    .map((operation) => {
      const type = bareTypeOf(operation.input as Schema, { input: true, named, indent: '' })
      return [`/** What \`${operation.name}\` takes. */`, `export type ${inputName(operation)} = ${type}`].join('\n')
    })
  const answers = operations
    .filter(({ ok }) => ok !== null)
    .flatMap((operation) => {
      const type = typeOf(operation.ok as Schema, { input: false, named, indent: '' })
      if (!hasOwnAnswer(operation)) return []
      return [
        [`/** What \`${operation.name}\` answers. */`, `export type ${answerName(operation)} = ${type}`].join('\n'),
      ]
    })
  return [notice, ...shapes(named), ...answers, ...inputs, errorCodes()].join('\n\n')
}

/** The named ones, in the order in which they are met; writing one may name others. */
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
  return `/** Every code that the service answers errors with. */\nexport type ErrorCode = ${codes.join(' | ')}`
}
