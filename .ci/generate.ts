import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { adminOperations } from '../sdk/generate/admin-endpoints.ts'
import { operationsOfContract } from '../sdk/generate/endpoints.ts'
import type { Schema } from '../sdk/generate/schema.ts'
import { generate } from '../sdk/generate.ts'
import { describeCommands } from '../src/cli/reference.ts'
import { describeVitrine } from '../src/contract.ts'

const root = new URL('../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

/** The expected text of every generated file, by path: `npm run generate` writes it, and a test compares it. */
export const generateFiles = (): Record<string, string> => {
  const { version } = JSON.parse(read('package.json')) as { version: string }
  return {
    'openapi.json': `${JSON.stringify(describeVitrine(version), null, 2)}\n`,
    'docs/cli.md': describeCommands(),
    'docs/sdk.md': replaceTable(read('docs/sdk.md'), ['| method | who | call |', ...methodRows()]),
    'docs/admin-client.md': replaceTable(read('docs/admin-client.md'), [
      '| method | permission | call | |',
      ...adminMethodRows(),
    ]),
    'docs/limits.md': replaceTable(read('docs/limits.md'), ['| field | characters at most |', ...lengthRows()]),
    ...Object.fromEntries(Object.entries(generate()).map(([path, text]) => [`sdk/${path}`, text])),
  }
}

/** Replaces the rows of a table. */
const replaceTable = (page: string, [header = '', ...rows]: readonly string[]) => {
  const lines = page.split('\n')
  const start = lines.indexOf(header)
  assert.ok(start >= 0, `there is no table with the header ${header}`)
  const length = lines.slice(start).findIndex((line) => !line.startsWith('|'))
  lines.splice(start + 2, length - 2, ...rows)
  return lines.join('\n')
}

const callers = {
  store: 'anyone',
  'sign-in': 'anyone',
  shopper: 'guest or customer',
  customer: 'customer',
  // The client sends the session with it, and a storefront has nothing else.
  asserted: 'customer',
  public: 'anyone',
}

/** Every method of the client. */
const methodRows = () =>
  operationsOfContract().map(
    ({ name, method, path, access }) => `| \`${name}\` | ${callers[access]} | \`${method} ${path}\` |`,
  )

/** Every method of the admin client. */
const adminMethodRows = () =>
  adminOperations().map(({ methodName, method, path, permission, orPermission, csv, hasEtag }) => {
    const permissions = [permission, orPermission].filter((one) => one !== undefined).map((one) => `\`${one}\``)
    const call = `\`${method} ${path.replace('/admin/v1/stores/{storeId}', '…')}\``
    const more = [csv && 'CSV', hasEtag && 'ETag'].filter(Boolean).join(', ')
    return `| \`${methodName}\` | ${permissions.join(' or ')} | ${call} | ${more} |`
  })

/** The maximum length of every text field that users fill in. */
const lengthRows = () => {
  const found = new Map<string, Set<number>>()
  const look = ({ maxLength, properties = {}, items, anyOf = [] }: BoundedSchema, name: string) => {
    if (maxLength !== undefined) found.set(name, (found.get(name) ?? new Set()).add(maxLength))
    for (const [field, inner] of Object.entries(properties)) look(inner, field)
    for (const inner of items === undefined ? anyOf : [items, ...anyOf]) look(inner, name)
  }
  for (const { body } of operationsOfContract()) if (body !== undefined) look(body, '')
  return [...found]
    .filter(([name]) => !isGivenOut(name))
    .map(([name, most]) => `| \`${name}\` | ${[...most].map((each) => each.toLocaleString('en')).join(' or ')} |`)
}

type BoundedSchema = Schema & { maxLength?: number; anyOf?: BoundedSchema[] }

/** Operators never provide values that the service generates. */
const isGivenOut = (name: string) => /^id$|Id$|Token$|^otp$|^paymentMethod$/.test(name)

if (import.meta.main) {
  for (const [path, text] of Object.entries(generateFiles())) writeFileSync(new URL(path, root), text)
}
