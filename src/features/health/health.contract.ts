import Type from 'typebox'
import { named } from '../../http/schema.ts'
import { monitoringEndpoint } from './monitoring.contract.ts'

export const Health = named(
  'Health',
  Type.Object({
    status: Type.String({ description: '`ok`, `stopping` or `unavailable`' }),
    version: Type.String(),
    uptime: Type.Number({ description: 'Seconds since the service started' }),
    checks: Type.Record(Type.String(), Type.String(), { description: '`ok` or the problem, for each component' }),
  }),
)

const root = { method: 'GET', tag: 'Operating', access: 'public' } as const

export const healthContract = {
  health: monitoringEndpoint({
    ...root,
    path: '/health',
    summary: 'Check whether the service is healthy',
    ok: Health,
    errors: ['SERVICE_UNAVAILABLE'],
    example: { status: 'ok', version: '0.1.0', uptime: 12.4, checks: { database: 'ok', listener: 'ok' } },
  }),
  openapi: monitoringEndpoint({
    ...root,
    path: '/openapi.json',
    summary: 'Get this OpenAPI description',
    ok: Type.Unsafe<unknown>({ type: 'object', additionalProperties: true }),
    cached: true,
    example: { openapi: '3.1.0', info: { title: 'Vitrine', version: '0.1.0' }, paths: {} },
  }),
  adminOpenapi: monitoringEndpoint({
    ...root,
    path: '/admin/openapi.json',
    summary: 'Get the OpenAPI description of the admin API',
    ok: Type.Unsafe<unknown>({ type: 'object', additionalProperties: true }),
    cached: true,
    example: { openapi: '3.1.0', info: { title: 'Vitrine Admin', version: '0.1.0' }, paths: {} },
  }),
  docs: monitoringEndpoint({
    ...root,
    path: '/docs',
    summary: 'Show this description in a browser',
    ok: Type.String(),
    contentType: 'text/html; charset=utf-8',
  }),
  metrics: monitoringEndpoint({
    ...root,
    access: 'metrics',
    path: '/metrics',
    summary: 'Metrics for Prometheus',
    description: 'Requires the metrics token of the operator. Outside production, local requests need none.',
    ok: Type.String(),
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
  }),
}
