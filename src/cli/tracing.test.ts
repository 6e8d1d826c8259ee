import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { callUrl } from '../../test/harness.ts'
import { newFolder, readDemoKeys, root, seededInstallation, startService, until } from './fixture.ts'

/** What an operator writes (docs/observability.md), with an exporter that appends to a file. */
const tracingFile = (file: string) => `
import { appendFileSync } from 'node:fs'
import { trace } from '${import.meta.resolve('@opentelemetry/api')}'
import * as sdk from '${import.meta.resolve('@opentelemetry/sdk-trace-base')}'
const exporter = {
  export: (spans, done) => {
    for (const { name } of spans) appendFileSync('${file}', JSON.stringify({ name, pid: process.pid }) + '\\n')
    done({ code: 0 })
  },
  shutdown: async () => {},
}
const { BasicTracerProvider, SimpleSpanProcessor } = sdk.default ?? sdk
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
`

test('an SDK in NODE_OPTIONS is loaded into every worker of the installed program', async (t) => {
  const folder = newFolder(t)
  const [setup, file] = [join(folder, 'tracing.mjs'), join(folder, 'spans')]
  writeFileSync(setup, tracingFile(file))
  const place = await seededInstallation(t)
  const program = [process.execPath, join(root, 'bin/vitrine.js'), 'start', '--workers', '2']
  const service = await startService(t, { ...place, NODE_OPTIONS: `--import ${setup}` }, { program })
  const { serverKey } = readDemoKeys(place.VITRINE_DATA_DIR)
  const spans = (): { name: string; pid: number }[] =>
    existsSync(file)
      ? readFileSync(file, 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
      : []
  const pids = () => new Set(spans().flatMap(({ name, pid }) => (name === 'GET /v1/store' ? [pid] : [])))
  await until(async () => {
    const { status } = await callUrl(`${service.url}/v1/store`, {
      headers: { 'x-store-key': serverKey, connection: 'close' },
    })
    assert.equal(status, 200)
    return pids().size === 2
  })
  assert.ok(!pids().has(service.pid))
})
