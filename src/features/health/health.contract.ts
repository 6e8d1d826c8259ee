import Type from 'typebox'
import { named } from '../../http/schema.ts'
import { monitoringEndpoint } from './monitoring.contract.ts'

export const Health = named(
  'Health',
  Type.Object({
    status: Type.String({ description: '`ok`, or why not' }),
    version: Type.String(),
    uptime: Type.Number({ description: 'Seconds since the start' }),
    checks: Type.Record(Type.String(), Type.String(), { description: '`ok`, or what is wrong, by part' }),
  }),
)

const root = { method: 'GET', tag: 'Operating', access: 'public' } as const

export const healthContract = {
  health: monitoringEndpoint({
    ...root,
    path: '/health',
    summary: 'Whether the service can answer',
    ok: Health,
    errors: ['SERVICE_UNAVAILABLE'],
    example: { status: 'ok', version: '0.1.0', uptime: 12.4, checks: { database: 'ok', listener: 'ok' } },
  }),
  openapi: monitoringEndpoint({
    ...root,
    path: '/openapi.json',
    summary: 'This description',
    ok: Type.Unsafe<unknown>({ type: 'object', additionalProperties: true }),
    cached: true,
    example: { openapi: '3.1.0', info: { title: 'Vitrine', version: '0.1.0' }, paths: {} },
  }),
  docs: monitoringEndpoint({
    ...root,
    path: '/docs',
    summary: 'This description, to read in a browser',
    ok: Type.String(),
    contentType: 'text/html; charset=utf-8',
  }),
  metrics: monitoringEndpoint({
    ...root,
    access: 'metrics',
    path: '/metrics',
    summary: 'Figures for Prometheus',
    description: 'To this machine, or to whoever has the token that the operator set.',
    ok: Type.String(),
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
  }),
}
