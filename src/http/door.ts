import type { IncomingHttpHeaders } from 'node:http'
import type { OnDisconnect } from '../core/on-disconnect.ts'
import type { Answered, Call, CtxByAccess, Endpoint, Family, Handlers } from './endpoint.ts'

/**
 * The part of a context that this layer needs: the store and the outlet under which an answer is cached, and the store
 * that the log names. `isCurrent`: whether nothing in it has changed since it was made; undefined if nothing can.
 */
export type RequestContext = {
  cacheStore: number
  cacheScope: number
  store?: { publicId: string }
  isCurrent?(): boolean
  /** Called before a request is answered, with an error too: the caller may still have to be refused (decision 0064). */
  confirm?(): Promise<void>
  /** Called whenever a part of a long answer was sent, after which the request may wait for the database as long as at first. */
  waitAnew?(): void
}

export type SetHeader = (name: string, value: string) => unknown

/** A request before its body is read. */
export type Arrival<E extends Endpoint = Endpoint> = {
  route: Route<E>
  headers: IncomingHttpHeaders
  /** Path parameters, not validated yet. */
  params: Readonly<Record<string, string>>
  /** Identifies the client for rate limits (client-address.ts). */
  clientAddress: string
  /** Identifies the request in the log. */
  requestId: string
  /** The other end of the connection, which may be a proxy. */
  peer: { remoteAddress?: string | undefined }
  setHeader: SetHeader
  onDisconnect: OnDisconnect
  /** Reads the body as bytes, in families with `readsRawBody`. Nothing is read from the connection before this call. */
  readBody(): Promise<Buffer>
}

/** Authenticates and authorizes the callers of a family. Each family has one, created when the service starts. */
export type Door<E extends Endpoint = Endpoint> = {
  family: Family
  /** Authenticates a request, or throws. Synchronous when everything needed is cached. */
  admit(arrival: Arrival<E>): RequestContext | Promise<RequestContext>
  /** Throws when this context may not call this endpoint, however the context was made. */
  authorize(ctx: unknown, endpoint: E): void
}

/** An endpoint with its name in the contract and the function that answers it. */
export type Route<E extends Endpoint = Endpoint> = {
  name: string
  endpoint: E
  handle(call: Call<E, unknown>): Promise<Answered<E>> | Answered<E>
  /** Authenticates the caller, in a family whose endpoints each have their own method. */
  authenticate?(arrival: Arrival): Promise<object>
}

/** Binds a contract to its handlers. A missing, surplus or wrongly typed handler does not compile. */
export const bindRoutes =
  <Name extends string, Ctx extends CtxByAccess>() =>
  <const C extends Record<string, Endpoint & { family: Family<Name>; access: keyof Ctx & string }>>(
    contract: C,
    handlers: Handlers<C, Ctx>,
  ): Route[] =>
    Object.entries(contract).map(([name, endpoint]) => ({
      name,
      endpoint,
      handle: handlers[name] as unknown as Route['handle'],
    }))
