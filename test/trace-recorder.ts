import { context, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'

/** Registers an SDK that keeps all spans in memory, as an operator's would before the service is loaded. */
export const recordSpans = () => {
  const exporter = new InMemorySpanExporter()
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
  return {
    spans: () => exporter.getFinishedSpans(),
    reset: () => exporter.reset(),
    stop: () => {
      for (const api of [trace, context, propagation]) api.disable()
    },
  }
}

export const traceIdOf = (span: ReadableSpan) => span.spanContext().traceId

/** The names of a trace as a tree, children in the order in which they began. */
export type SpanTree = { name: string; span: ReadableSpan; children: SpanTree[] }

export const treeOf = (spans: readonly ReadableSpan[], root: ReadableSpan): SpanTree => {
  const id = root.spanContext().spanId
  const children = spans.filter(({ parentSpanContext }) => parentSpanContext?.spanId === id)
  return { name: root.name, span: root, children: children.map((child) => treeOf(spans, child)) }
}

export const flatten = (tree: SpanTree): ReadableSpan[] => [tree.span, ...tree.children.flatMap(flatten)]
