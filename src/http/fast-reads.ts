import querystring from 'fast-querystring'
import type { AnswerCache, CachedAnswer } from './cached-answers.ts'
import type { RequestContext } from './door.ts'
import type { Endpoint } from './endpoint.ts'
import { fillAnswer } from './fill-answer.ts'
import type { CheckedInput, Operation } from './operations.ts'

/** A read whose answer is not cached, found and checked without Fastify. */
export type FastRead = {
  endpoint: Endpoint
  /** Undefined: the input is not valid, and Fastify says why. */
  start(ctx: RequestContext): (() => Promise<CachedAnswer>) | undefined
}

/** Undefined: Fastify has to route it. */
export type FindRead = (url: string) => FastRead | undefined

/** As Fastify does it. */
const parseQuery = (text: string) => querystring.parse(text)

const plainSegment = /^[\w.~-]+$/

/**
 * Routes the cached reads whose path is fixed or ends with its only parameter. A path that has to be decoded, and all that
 * is not found here, is left to Fastify.
 */
export const createFindRead = (
  operations: readonly Operation[],
  answers: Pick<AnswerCache, 'fill'>,
  isOverloaded: () => boolean,
): FindRead => {
  const gets = operations.filter(({ endpoint }) => endpoint.method === 'GET')
  const others = new Set(gets.filter(({ endpoint }) => !endpoint.cached).map(({ endpoint }) => endpoint.path))
  const fixed = new Map<string, Operation>()
  const named = new Map<string, { operation: Operation; parameter: string }>()
  for (const operation of gets) {
    const { cached, path } = operation.endpoint
    if (!cached) continue
    const [, prefix, parameter] = /^([^{}]+\/)\{(\w+)\}$/.exec(path) ?? []
    if (prefix !== undefined && parameter !== undefined) named.set(prefix, { operation, parameter })
    else if (!path.includes('{')) fixed.set(path, operation)
  }
  const readOf = (operation: Operation, url: string, params: Record<string, string>, query: string): FastRead => ({
    endpoint: operation.endpoint,
    start: (ctx) => {
      const input = checkInput(operation, ctx, { params, query: parseQuery(query), body: undefined })
      return input && (() => fillAnswer(answers, operation, ctx, url, input))
    },
  })
  return (url) => {
    // Fastify refuses what is not cached while the process is overloaded, and does not take what follows a # for the path.
    if (isOverloaded() || url.includes('#')) return undefined
    const question = url.indexOf('?')
    const path = question === -1 ? url : url.slice(0, question)
    const query = question === -1 ? '' : url.slice(question + 1)
    const operation = fixed.get(path)
    if (operation !== undefined) return readOf(operation, url, {}, query)
    const slash = path.lastIndexOf('/') + 1
    const found = named.get(path.slice(0, slash))
    if (found === undefined || others.has(path)) return undefined
    const value = path.slice(slash)
    return plainSegment.test(value) ? readOf(found.operation, url, { [found.parameter]: value }, query) : undefined
  }
}

const checkInput = ({ door, endpoint, readInput }: Operation, ctx: RequestContext, input: CheckedInput) => {
  try {
    door.authorize(ctx, endpoint)
    return readInput(input)
  } catch {
    return undefined
  }
}
