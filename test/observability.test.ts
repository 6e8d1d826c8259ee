import assert from 'node:assert/strict'
import { test } from 'node:test'
import { read } from './documents.ts'
import { serviceFor } from './harness.ts'

const files = ['docs/grafana/vitrine.json', 'docs/grafana/alerts.yaml']

const metricsIn = (text: string) =>
  [...new Set(text.match(/\b(vitrine|nodejs|process)_[a-z0-9_]+/g) ?? [])].map((name) => name.replace(/_bucket$/, ''))

test('the dashboard and the alerts use metrics that exist, with labels and jobs that exist', async (t) => {
  const service = await serviceFor(t)
  await service.call('/health')
  const { text } = await service.call('/metrics')
  const existing = new Set([...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name))
  const jobs = new Set([...text.matchAll(/^vitrine_jobs_waiting\{job="([^"]+)"/gm)].map(([, name]) => name))
  assert.ok(jobs.size > 5)
  for (const file of files) {
    const used = metricsIn(read(file))
    assert.ok(used.length > 8, file)
    for (const name of used) assert.ok(existing.has(name), `${file} uses ${name}, which does not exist`)
    for (const [, names = ''] of read(file).matchAll(/exported_job=~"([^"]+)"/g)) {
      for (const name of names.split('|')) assert.ok(jobs.has(name), `${file} names ${name}, which is no job`)
    }
    for (const [, state] of read(file).matchAll(/vitrine_db_connections\{state="(\w+)"/g)) {
      assert.match(text, new RegExp(`vitrine_db_connections\\{state="${state}"`))
    }
  }
})

test('every metric of Vitrine is on the dashboard and in the guide', async (t) => {
  const { text } = await (await serviceFor(t)).call('/metrics')
  const own = [...text.matchAll(/^# TYPE (vitrine_\w+) /gm)].map(([, name = '']) => name)
  const shown = metricsIn(read('docs/grafana/vitrine.json'))
  for (const name of own.filter((each) => each !== 'vitrine_jobs_running')) assert.ok(shown.includes(name), name)
  for (const name of own)
    assert.ok(read('docs/production.md').includes(`\`${name}\``), `${name} is not in docs/production.md`)
})

test('the guide says what to do about every alert', () => {
  const alerts = [...read('docs/grafana/alerts.yaml').matchAll(/- alert: (\w+)/g)].map(([, name]) => name)
  const advised = [...read('docs/observability.md').matchAll(/^\| `(Vitrine\w+)` \|/gm)].map(([, name]) => name)
  assert.ok(alerts.length > 5)
  assert.deepEqual(advised, alerts)
})
