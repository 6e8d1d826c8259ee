import { contracts } from '../../src/contract.ts'
import type { StorefrontEndpoint } from '../../src/features/access/storefront.contract.ts'
import type { EndpointShape } from '../../src/http/endpoint.ts'
import { nameOf } from '../../src/http/schema.ts'
import type { Schema } from './schema.ts'

/** An endpoint with the properties that a client needs. */
export type Described = EndpointShape & {
  name: string
  /** Path parameters, query and body fields together; null when there are none. */
  input: Schema | null
  isPaged: boolean
}

/** An operation of `/v1`. */
export type Operation = StorefrontEndpoint &
  Described & {
    isSignIn: boolean
    isRedirect: boolean
  }

export const operationsOfContract = (): Operation[] =>
  contracts
    .flatMap((contract) => Object.entries(contract as Record<string, StorefrontEndpoint>))
    .filter(([, { path }]) => path.startsWith('/v1/'))
    .map(([name, endpoint]) => ({
      ...endpoint,
      name,
      input: inputOf(name, endpoint),
      isPaged: isPaged(endpoint),
      isSignIn: (endpoint.ok as Schema | null)?.properties?.token !== undefined,
      isRedirect: endpoint.okStatus === 302,
    }))

export const isPaged = ({ query }: EndpointShape) => (query as Schema | undefined)?.properties?.cursor !== undefined

/** Merges all inputs into one flat object, and throws if a field would be ambiguous. */
export const inputOf = (name: string, endpoint: Pick<EndpointShape, 'method' | 'params' | 'query' | 'body'>) => {
  const { method, params, query, body } = endpoint
  if (query !== undefined && body !== undefined) throw new Error(`${name} has a query and a body: remove one of them`)
  if (body !== undefined && method === 'GET') throw new Error(`${name} is a GET with a body`)
  const parts = [params, query, body].filter((part) => part !== undefined) as Schema[]
  if (parts.length === 0) return null
  const properties: Record<string, Schema> = {}
  for (const part of parts) {
    for (const [field, schema] of Object.entries(part.properties ?? {})) {
      if (field in properties) throw new Error(`${name} takes "${field}" in two places: rename one of them`)
      properties[field] = schema
    }
  }
  return { type: 'object', properties, required: parts.flatMap((part) => part.required ?? []) }
}

const pascal = (name: string) => name[0]?.toUpperCase() + name.slice(1)

export const inputName = ({ name }: Described) => `${pascal(name)}Input`

/** The type name of an answer that has no name in the contract. */
export const answerName = ({ name }: Described) => `${pascal(name)}Answer`

/** Whether the answer gets its own type: an object without a name that is not a page of a list. */
export const hasOwnAnswer = ({ ok, isPaged }: Described) =>
  ok !== null && !isPaged && nameOf(ok) === undefined && (ok as Schema).type === 'object'
