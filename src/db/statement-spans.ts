import { type Attributes, failSpan, inChildSpan, SpanKind } from '../core/tracing.ts'
import { sqlState } from './errors.ts'

type Described = { name: string; attributes: Attributes }

/** There are a few hundred texts, since values never become text. */
const described = new Map<string, Described>()

const maxTextLength = 2000

/** Names a statement by what it does and to which table, such as `UPDATE stock`. The text has no values. */
export const describeStatement = (text: string): Described => {
  let found = described.get(text)
  if (found === undefined) {
    const plain = text.replaceAll(/\s+/g, ' ').trim()
    const operation = (/^\w+/.exec(plain)?.[0] ?? 'statement').toUpperCase()
    const [verb, table] = findChange(plain.split(/[ (),]+/)) ?? [operation, /\bfrom (\w+)/.exec(plain)?.[1]]
    const name = [verb?.toUpperCase(), table].filter(Boolean).join(' ')
    const attributes = {
      'db.system.name': 'postgresql',
      'db.operation.name': operation,
      'db.query.summary': name,
      'db.query.text': plain.slice(0, maxTextLength),
    }
    found = { name, attributes }
    described.set(text, found)
  }
  return found
}

/** The first row change of a statement, which may be in a `with`. `for update` changes nothing. */
const findChange = (words: readonly string[]): [verb: string, table: string | undefined] | undefined => {
  for (const [i, word] of words.entries()) {
    if (word === 'insert' || word === 'delete') return [word, words[i + 2]]
    if (word === 'update' && words.slice(i + 2, i + 4).includes('set')) return [word, words[i + 1]]
  }
  return undefined
}

/** A span for a statement that is sent as a part of a request or a job. */
export const inStatementSpan = <Result>(text: string, work: () => Promise<Result>): Promise<Result> => {
  const { name, attributes } = describeStatement(text)
  return inChildSpan(name, { kind: SpanKind.CLIENT, attributes }, async (span) => {
    try {
      return await work()
    } catch (error) {
      const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
      const state = sqlState(cause)
      if (span !== undefined && state !== '') span.setAttribute('db.response.status_code', state)
      if (span !== undefined) failSpan(span, state || 'connection')
      throw error
    }
  })
}
