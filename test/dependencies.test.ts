import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judge } from '../.ci/audit.ts'
import { findImported, findRefused, isAllowed, shippedPackages } from '../.ci/licences.ts'
import { read } from './documents.ts'

test('every package that is shipped is under a licence that is allowed', () => {
  const packages = shippedPackages(JSON.parse(read('package-lock.json')), findImported())
  const names = packages.map(({ name }) => name)
  for (const bundled of ['preact', '@preact/signals', '@preact/signals-core'])
    assert.ok(names.includes(bundled), bundled)
  assert.ok(names.length > 50)
  assert.deepEqual(findRefused(packages), [])
})

test('a licence that is not on the list is refused, also as a part of an expression', () => {
  for (const license of ['MIT', 'MIT OR GPL-3.0-only', '(MIT OR CC0-1.0)', 'MIT AND ISC']) assert.ok(isAllowed(license))
  const refused = [
    'GPL-3.0-only',
    'MIT AND GPL-3.0-only',
    'none',
    '',
    'SEE LICENSE IN LICENSE',
    'UNLICENSED',
    'BUSL-1.1',
  ]
  for (const license of [...refused, '(MIT OR ISC) AND (GPL-2.0-only)']) assert.ok(!isAllowed(license), license)
})

test('packages for tests and tools are left out, unless they are bundled, directly or through another', () => {
  const lock = {
    packages: {
      '': { version: '1.0.0', license: 'MIT' },
      'node_modules/a': { version: '1.0.0', license: 'GPL-3.0-only' },
      'node_modules/a/node_modules/@x/b': { version: '2.0.0' },
      'node_modules/tool': { version: '1.0.0', license: 'MPL-2.0', dev: true },
      'node_modules/bundled': { version: '1.0.0', license: 'MPL-2.0', dev: true, dependencies: { inner: '^1.0.0' } },
      'node_modules/inner': { version: '1.0.0', license: 'LGPL-3.0', dev: true, dependencies: { bundled: '1' } },
    },
  }
  const refused = findRefused(shippedPackages(lock, new Set(['bundled'])))
  assert.deepEqual(
    refused.map(({ name, license }) => `${name} ${license}`),
    ['a GPL-3.0-only', '@x/b none', 'bundled MPL-2.0', 'inner LGPL-3.0'],
  )
})

test('an audit distinguishes a vulnerability from a registry error', () => {
  const report = (vulnerabilities: object, total: number) =>
    JSON.stringify({ vulnerabilities, metadata: { vulnerabilities: { total } } })
  const entry = (severity: string) => ({ severity, range: '<2.0.0', isDirect: true })
  assert.equal(judge(report({}, 0)).kind, 'clean')
  assert.deepEqual(judge(report({ a: entry('moderate') }, 1)), {
    kind: 'clean',
    text: 'nothing known of high severity or above, 1 below',
  })
  const bad = judge(report({ a: entry('high'), b: entry('low'), c: entry('critical') }, 3))
  assert.deepEqual(bad, { kind: 'vulnerable', text: 'a <2.0.0: high\nc <2.0.0: critical' })
  const silent = judge(JSON.stringify({ message: '405 Method Not Allowed', statusCode: 405 }))
  assert.equal(silent.kind, 'not checked')
  assert.match(silent.text, /^not checked: the registry does not answer audits \(405 Method Not Allowed\)$/)
  assert.equal(judge(JSON.stringify({ error: { code: 'ENOTFOUND', summary: '' } })).kind, 'not checked')
  assert.throws(() => judge('{}'))
  assert.throws(() => judge('no JSON'))
})
