import { adminContracts } from '../../src/contract.ts'
import type { AdminEndpoint } from '../../src/features/access/admin.contract.ts'
import { type Described, inputOf, isPaged } from './endpoints.ts'
import type { Schema } from './schema.ts'

/** An operation of the admin API. `name` is that of the contract, such as `adminListOrders`. */
export type AdminOperation = AdminEndpoint &
  Described & {
    /** The name in the client, such as `listOrders`. */
    methodName: string
    hasEtag: boolean
    /** Whether `If-Match` guards the change. */
    isGuarded: boolean
  }

type Contracts = readonly Record<string, AdminEndpoint>[]

/** Every operation in a store, which a token may call. */
export const adminOperations = (contracts = adminContracts as Contracts): AdminOperation[] =>
  operationsOf(contracts, ({ access }) => access === 'store')

/** The others: signing in, and what a person does with their own account. They need a cookie. */
export const staffOperations = (contracts = adminContracts as Contracts): AdminOperation[] =>
  operationsOf(contracts, ({ access }) => access !== 'store')

const operationsOf = (contracts: Contracts, isWanted: (endpoint: AdminEndpoint) => boolean): AdminOperation[] =>
  contracts
    .flatMap((contract) => Object.entries(contract))
    .filter(([, endpoint]) => isWanted(endpoint))
    .map(([name, endpoint]) => {
      const hasEtag = endpoint.headers?.includes('etag') === true
      if (hasEtag && (endpoint.ok as Schema | null)?.properties?.etag !== undefined)
        throw new Error(`${name} answers with a field "etag", where the client puts its header: rename the field`)
      return {
        ...endpoint,
        name,
        methodName: methodNameOf(name),
        input: adminInputOf(name, endpoint),
        isPaged: isPaged(endpoint),
        hasEtag,
        isGuarded: hasEtag && endpoint.method === 'PATCH',
      }
    })

const methodNameOf = (name: string) => {
  const [, first, rest] = /^admin([A-Z])(\w*)$/.exec(name) ?? []
  if (first === undefined) throw new Error(`the name of ${name} must begin with "admin"`)
  return first.toLowerCase() + rest
}

/** The client knows its store, so `storeId` is no input. A file is. */
const adminInputOf = (name: string, endpoint: AdminEndpoint): Schema | null => {
  const { storeId: _, ...fields } = inputOf(name, endpoint)?.properties ?? {}
  const required = inputOf(name, endpoint)?.required.filter((field) => field !== 'storeId') ?? []
  const optionalBody = endpoint.isBodyOptional === true ? ((endpoint.body as Schema).required ?? []) : []
  if (optionalBody.length > 0) throw new Error(`${name} may have no body, but a body needs "${optionalBody[0]}"`)
  if (endpoint.maxFileBytes !== undefined) {
    return { type: 'object', properties: { file: fileField, ...fields }, required: ['file', ...required] }
  }
  return Object.keys(fields).length === 0 ? null : { type: 'object', properties: fields, required }
}

const fileField: Schema = { typeScript: 'FileToUpload' }
