import type { IncomingHttpHeaders } from 'node:http'
import type { OnGone } from '../core/on-gone.ts'
import type { Answer, Call, CtxByAccess, Endpoint, Family, Handlers, OkBody } from './endpoint.ts'

/** The least that this layer must know of a caller: under which store and outlet an answer may be kept. */
export type RequestContext = { cacheStore: number; cacheScope: number }

export type SetHeader = (name: string, value: string) => unknown

/** A request of which nothing but its first line and its headers was read. */
export type Arrival<E extends Endpoint = Endpoint> = {
  route: Route<E>
  headers: IncomingHttpHeaders
  /** From the path, not validated yet. */
  params: Readonly<Record<string, string>>
  /** Tells clients apart for limits (client-address.ts). */
  clientAddress: string
  /** The other end of the connection, which may be a proxy. */
  peer: { remoteAddress?: string | undefined }
  setHeader: SetHeader
  onGone: OnGone
  /** The bytes of the body, for families that read it raw. Nothing is read from the connection before this is called. */
  readBody(): Promise<Buffer>
}

/** How a family admits its callers. There is one for each family, made when the service starts. */
export type Door<E extends Endpoint = Endpoint> = {
  family: Family
  /** Decides whether a request may go on. Answers at once when everything needed is in memory. */
  admit(arrival: Arrival<E>): RequestContext | Promise<RequestContext>
  /** Throws when this context may not call this endpoint, whichever way the context was made. */
  authorise(ctx: unknown, endpoint: E): void
}

/** An endpoint with its name in the contract and the function that answers it. */
export type Route<E extends Endpoint = Endpoint> = {
  name: string
  endpoint: E
  handle(call: Call<E, unknown>): Promise<Answer<OkBody<E>>> | Answer<OkBody<E>>
  /** How its caller proves itself, in a family whose endpoints each have their own way. */
  authenticate?(arrival: Arrival): Promise<object>
}

/** Ties a contract to its handlers; the compiler refuses a missing, a surplus or a wrongly typed one. */
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
