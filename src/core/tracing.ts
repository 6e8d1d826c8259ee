import {
  type Attributes,
  type Context,
  context,
  isSpanContextValid,
  type Link,
  ProxyTracerProvider,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { errorCode } from './thrown.ts'

// Spans through the API of OpenTelemetry alone (decision 0050). The operator loads the SDK. Attributes have no secrets and
// nothing personal: no keys, no ids of carts or customers, no addresses with queries, no messages of errors.

export { type Attributes, type Context, type Link, type Span, SpanKind }

let tracer: Tracer | null = null

/**
 * Decides for this process whether there are spans: only if an SDK was registered before. Without one, `isTracing` stays
 * false and no code path creates anything. Called when the service is put together.
 */
export const startTracing = (version: string): boolean => {
  const provider = trace.getTracerProvider()
  // Ours, unless an SDK has registered one. A tracer without a delegate would create spans that do nothing.
  const isNone = provider instanceof ProxyTracerProvider && provider.getDelegateTracer('vitrine', version) === undefined
  tracer = isNone ? null : provider.getTracer('vitrine', version)
  return tracer !== null
}

export const isTracing = () => tracer !== null

export type SpanOptions = {
  kind?: SpanKind
  attributes?: Attributes
  links?: Link[]
  /** By default the context of the caller. */
  parent?: Context
}

/** Runs work in a span, which ends with it. A rejection makes it an error. */
export const inSpan = async <Result>(
  name: string,
  { parent, ...options }: SpanOptions,
  work: (span: Span | undefined) => Promise<Result>,
): Promise<Result> => {
  if (tracer === null) return work(undefined)
  const within = parent ?? context.active()
  const span = tracer.startSpan(name, options, within)
  try {
    return await context.with(trace.setSpan(within, span), work, undefined, span)
  } catch (error) {
    failSpan(span, errorType(error))
    throw error
  } finally {
    span.end()
  }
}

/** Like `inSpan`, but only as a part of another span: statements of a poll every second would be traces of their own. */
export const inChildSpan = <Result>(
  name: string,
  options: SpanOptions,
  work: (span: Span | undefined) => Promise<Result>,
): Promise<Result> => (trace.getActiveSpan() === undefined ? work(undefined) : inSpan(name, options, work))

/** A span that ends later, and the context to run its work in. Only while `isTracing`. */
export const startSpan = (name: string, { parent = ROOT_CONTEXT, ...options }: SpanOptions) => {
  if (tracer === null) throw new Error('there is no tracer')
  const span = tracer.startSpan(name, options, parent)
  return { span, within: trace.setSpan(parent, span) }
}

export const runWithin = <Result>(within: Context, work: () => Result): Result => context.with(within, work)

/** Messages of errors may quote what a shopper has typed, so only the type is kept. */
export const failSpan = (span: Span, type: string) => {
  span.setStatus({ code: SpanStatusCode.ERROR })
  span.setAttribute('error.type', type)
}

export const errorType = (error: unknown): string =>
  errorCode(error) ?? (error instanceof Error ? error.name : 'unknown')

/** Begins a new trace. */
export const noParent: Context = ROOT_CONTEXT

/** The context that a caller sent. */
export const readTraceHeaders = (headers: object): Context => propagation.extract(ROOT_CONTEXT, headers)

/** A link to the span of another trace; none if the context has no valid one. */
export const linkTo = (other: Context): Link[] => {
  const found = trace.getSpanContext(other)
  return found !== undefined && isSpanContextValid(found) ? [{ context: found }] : []
}

/**
 * Headers that continue the trace at another service. Without baggage: it comes from callers, and other companies should
 * not get it.
 */
export const traceHeaders = (): Record<string, string> => {
  if (tracer === null) return {}
  const headers: Record<string, string> = {}
  propagation.inject(propagation.deleteBaggage(context.active()), headers)
  return headers
}

/** The present span as text, for a row that is worked on later; null while nothing is traced. */
export const saveTrace = (): string | null => traceHeaders().traceparent ?? null

/** The context of `saveTrace`; undefined if there was none. */
export const restoreTrace = (saved: string | null): Context | undefined =>
  tracer === null || saved === null ? undefined : readTraceHeaders({ traceparent: saved })
