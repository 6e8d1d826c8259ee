import assert from 'node:assert/strict'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { Value } from 'typebox/value'
import { createProgram } from '../src/cli/program.ts'
import { contracts, describeVitrine } from '../src/contract.ts'
import { errorCatalogue } from '../src/core/errors.ts'
import { Environment } from '../src/environment.ts'
import { scopes } from '../src/features/access/storefront.contract.ts'
import { guidePages } from '../src/http/guide-contents.ts'
import { createJuspay } from '../src/providers/payment/juspay.ts'
import { createRazorpay } from '../src/providers/payment/razorpay.ts'
import { createStripe } from '../src/providers/payment/stripe.ts'
import { startPostgres } from './document-postgres.ts'
import { checkDocument, demoKeysIn, harnessFiles, isInstalled, newPlace, startShop } from './document-shop.ts'
import { anchorsOf, assertShows, blocksOf, documents, linksOf, read, root, squeeze } from './documents.ts'
import { runTypeScriptSamples } from './samples.ts'

/** Their commands run in one demo shop, in this order. */
const runDocuments = [
  // First, because later documents add a second store.
  'docs/quick-start.md',
  'docs/tour.md',
  'docs/catalog.md',
  'docs/pagination.md',
  'docs/limits.md',
  'docs/errors.md',
  'docs/keys.md',
  'docs/staff.md',
  'docs/admin-page.md',
  'docs/media.md',
  'docs/guests-and-carts.md',
  'docs/signing-in.md',
  'docs/checkout-and-payment.md',
  'docs/delivery.md',
  'docs/run-your-shop.md',
  'docs/email.md',
  'docs/cli.md',
  // Last, because they add products, which the others count.
  'docs/coming-from-shopify.md',
  'docs/import.md',
  'docs/webhooks.md',
]

/** Their TypeScript is run: that of the first one here, the others' in sdk-docs.test.ts. */
const typeScriptDocuments = ['docs/quick-start.md', 'docs/sdk.md', 'docs/admin-client.md', 'README.md']

/** Its commands are run on a PostgreSQL of the system. */
const productionDocument = 'docs/production.md'

test('docs/errors.md has every code with its status, and no other', () => {
  const rows = [...read('docs/errors.md').matchAll(/^\| `([A-Z_]+)` \| (\d+) \| (.+) \| (.+) \|$/gm)]
  const written = rows.map(([, code, status]) => [code, Number(status)])
  const real = Object.entries(errorCatalogue).map(([code, { status }]) => [code, status])
  assert.deepEqual(written, real, 'bring the table in docs/errors.md in line with src/core/errors.ts, in its order')
})

test('docs/settings.md has every setting with its default and meaning, and no other', () => {
  const rows = [...read('docs/settings.md').matchAll(/^\| `([A-Z0-9_]+)` \| (?:`(.+)`|–) \| (.+) \|$/gm)]
  const written = rows.map(([, name, value, meaning]) => ({ name, value, meaning }))
  const real = Object.entries(Environment.properties).map(([name, setting]) => {
    const { default: value, description } = setting as { default?: unknown; description?: string }
    return { name, value: value === undefined ? undefined : String(value), meaning: description }
  })
  assert.deepEqual(written, real, 'bring docs/settings.md in line with Environment in src/environment.ts, in its order')
})

test('every relative link points to something that exists', () => {
  let links = 0
  for (const document of documents) {
    for (const target of linksOf(document)) {
      if (/^[a-z]+:/.test(target)) continue
      const [path, anchor] = target.split('#')
      const file = path ? join(dirname(document), path) : document
      assert.ok(existsSync(join(root, file)), `${document} links to ${target}, which does not exist`)
      if (anchor) assert.ok(anchorsOf(file).includes(anchor), `${document} links to ${target}: no such heading`)
      links++
    }
  }
  assert.ok(links > 100, 'the links were not found')
})

test('every page of docs/ is in the contents of the guide, and every page of the contents is there', () => {
  const written = documents.filter((path) => /^docs\/[^/]+$/.test(path)).map((path) => path.slice('docs/'.length, -3))
  const listed = guidePages.map(({ page }) => page)
  assert.deepEqual(listed.toSorted(), written.toSorted(), 'bring src/http/guide-contents.ts in line with docs/')
})

test('decisions are numbered without gaps and have context, decision and consequences', () => {
  const pages = documents.filter((path) => path.startsWith('docs/decisions/'))
  for (const [i, path] of pages.entries()) {
    const number = String(i + 1).padStart(4, '0')
    assert.match(path, new RegExp(`/${number}-[a-z0-9-]+\\.md$`), `${path} should have the number ${number}`)
    const text = read(path)
    assert.ok(text.startsWith(`# ${number}: `), `${path} should begin with "# ${number}: "`)
    for (const part of ['Context', 'Decision', 'Consequences']) {
      assert.ok(text.includes(`\n**${part}.** `), `${path} has no paragraph "${part}"`)
    }
  }
})

test('the README names the commands that start Vitrine and run its tests', () => {
  const commands = blocksOf('README.md').filter(({ info }) => info === 'sh no-run')
  assert.deepEqual(
    commands.map(({ text }) => text),
    ['npm ci && npm start\nnpm ci && npm test\n'],
  )
})

test('code that the documents quote is in the file that they name', () => {
  const quotes = documents.flatMap(blocksOf).filter(({ info }) => info.startsWith('ts src/'))
  assert.ok(quotes.length > 0)
  for (const { document, info, text } of quotes) {
    const file = info.slice('ts '.length)
    assert.ok(squeeze(read(file)).includes(squeeze(text)), `${document} quotes code that is not in ${file}:\n${text}`)
  }
})

test('every endpoint has an example that fits its own schema', () => {
  for (const [name, endpoint] of contracts.flatMap((contract) => Object.entries(contract))) {
    if (endpoint.ok === null || 'contentType' in endpoint) continue
    assert.ok('example' in endpoint, `${name} has no example: add one to its contract`)
    const [fault] = Value.Errors(endpoint.ok, endpoint.example)
    assert.equal(fault, undefined, `the example of ${name} does not fit its schema`)
  }
})

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is read as it is.
type Json = any

test('every operation in OpenAPI has a summary, examples, and its errors by status and code', () => {
  const api: Json = describeVitrine('0')
  const follow = (value: Json): Json =>
    value.$ref === undefined
      ? value
      : value.$ref
          .slice(2)
          .split('/')
          .reduce((place: Json, step: string) => place[step], api)
  for (const [path, operations] of Object.entries<Json>(api.paths)) {
    for (const [method, operation] of Object.entries<Json>(operations)) {
      const name = `${method} ${path}`
      assert.ok(operation.summary, `${name} has no summary`)
      const statuses = Object.keys(operation.responses)
      if (path.startsWith('/v1/')) {
        for (const status of ['400', '401', '403', '429', '500', '503']) {
          assert.ok(statuses.includes(status), `${name} does not document ${status}`)
        }
      }
      for (const status of statuses) {
        const answer = follow(operation.responses[status])
        assert.ok(answer.description, `${name} ${status} has no description`)
        const json = answer.content?.['application/json']
        if (Number(status) < 400) {
          if (json !== undefined) assert.ok('example' in json, `${name} ${status} has no example`)
          continue
        }
        const examples = Object.entries<Json>(json.examples)
        assert.ok(examples.length > 0, `${name} ${status} names no code`)
        for (const [code, { value }] of examples) {
          assert.equal(value.code, code)
          assert.equal(errorCatalogue[code as keyof typeof errorCatalogue].status, Number(status), `${name} ${code}`)
        }
      }
    }
  }
})

test('the program parses every command of the guide that needs an account or another machine', async () => {
  const lines = guidePages
    .flatMap(({ page }) => [...read(`docs/${page}.md`).matchAll(/^( *)```console\n([\s\S]*?)^\1```$/gm)])
    .flatMap(([, , text = '']) => text.replaceAll('\\\n', '').trim().split('\n'))
  assert.ok(lines.length > 50, 'the examples were not found')
  for (const line of lines) {
    const program = createProgram()
    let ran = 0
    const silence = (command: typeof program) => {
      command.configureOutput({ writeErr: () => {} }).action(() => void ran++)
      for (const child of command.commands) silence(child)
    }
    for (const command of program.commands) silence(command)
    const [, said = ''] = /\bvitrine (?:-- )?(.+?)( > \S+)?$/.exec(line) ?? []
    const words = [...said.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
    await assert.doesNotReject(program.parseAsync(words, { from: 'user' }), line)
    assert.equal(ran, 1, line)
  }
})

test('the page of a payment provider has its credentials and its webhook address', () => {
  const providers = [createStripe(''), createRazorpay(''), createJuspay('')]
  for (const { name, credentials, optionalCredentials = [], webhook } of providers) {
    const page = `docs/${name}.md`
    const text = read(page)
    for (const credential of [...credentials, ...optionalCredentials]) {
      assert.ok(text.includes(`"${credential}":`), `${page} does not have the credential ${credential}`)
    }
    const address = `/webhook/${name}${webhook?.storeIn === 'path' ? '/STORE' : ''}\``
    for (const document of [page, 'docs/payments.md']) {
      assert.ok(read(document).includes(address), `${document} does not have the address ${address}`)
    }
  }
})

test('docs/going-live.md names checks that doctor makes', () => {
  const source = ['doctor', 'doctor-live'].map((name) => read(`src/cli/${name}.ts`)).join('\n')
  const made = new Set(
    [...source.matchAll(/\b(?:ok|warning|fault|failure)\(\s*'([a-z ]+)'/g)].map(([, check]) => check),
  )
  const sentences = [...read('docs/going-live.md').matchAll(/\bChecks?:((?:[\s,]+`[a-z ]+`)+)/g)]
  const named = sentences.flatMap(([, list = '']) => [...list.matchAll(/`([a-z ]+)`/g)].map(([, check]) => check))
  assert.ok(named.length > 15, 'the checks were not found')
  for (const check of named) assert.ok(made.has(check), `doctor has no check "${check}"`)
})

test('docs/keys.md has every scope', () => {
  const [, table = ''] = /## Scopes\n([\s\S]+?)\n## /.exec(read('docs/keys.md')) ?? []
  assert.deepEqual(
    [...table.matchAll(/^\| `([a-z:]+)` \|/gm)].map(([, scope]) => scope),
    scopes,
  )
})

test('the check of a signature in docs/production.md accepts genuine signatures and refuses others', () => {
  const [sample] = blocksOf(productionDocument).filter(({ info }) => info === 'js')
  const names = ['createHmac', 'timingSafeEqual', 'secret', 'timestamp', 'body', 'signature']
  const check = new Function(...names, `${sample?.text}\nreturn { isGenuine, isRecent }`)
  const secret = 'a secret that both sides know'
  const now = Math.floor(Date.now() / 1000)
  const sign = (time: number) => createHmac('sha256', secret).update(`${time}.{}`).digest('hex')
  const outcome = (time: number, signature: string) =>
    check(createHmac, timingSafeEqual, secret, String(time), '{}', signature)
  assert.deepEqual(outcome(now, sign(now)), { isGenuine: true, isRecent: true })
  assert.deepEqual(outcome(now, sign(now - 1)), { isGenuine: false, isRecent: true })
  assert.deepEqual(outcome(now - 3600, sign(now - 3600)), { isGenuine: true, isRecent: false })
  assert.equal(outcome(now, 'none').isGenuine, false)
})

test('the banner of npm is never piped or redirected', () => {
  const lines = [...documents, 'sdk/README.md', 'demo/README.md']
    .flatMap(blocksOf)
    .flatMap(({ document, text }) =>
      text
        .replaceAll('\\\n', '')
        .split('\n')
        .map((line) => ({ document, line })),
    )
    .filter(({ line }) => /npm run (-s )?vitrine/.test(line))
  assert.ok(lines.length > 20, 'the commands were not found')
  for (const { document, line } of lines.filter(({ line }) => !line.includes('npm run -s'))) {
    assert.doesNotMatch(line, /--json|[^-]>|\$\(npm|\s\|/, `${document}: use "npm run -s", which prints no banner`)
  }
})

test('samples that sign up can be run again', () => {
  const emails = documents
    .filter((document) => runDocuments.includes(document))
    .flatMap(blocksOf)
    .filter(({ info }) => info === 'sh' || info === 'ts')
    .flatMap(({ document, text }) =>
      [...text.matchAll(/email[\\"]*: [\\"'`]+([^"'`\\]+)/g)].map(([, email = '']) => ({ document, email })),
    )
  assert.ok(emails.length > 6, 'the addresses were not found')
  for (const { document, email } of emails) {
    assert.match(email, /\$RANDOM@|\$\{Date\.now\(\)\}@/, `${document}: ${email} can sign up only once`)
  }
})

test('every block of commands in the guide is run, and other blocks are marked as not run', () => {
  for (const { document, info } of documents.flatMap(blocksOf)) {
    if (!/^(sh|bash|shell|js|javascript|ts|tsx|typescript)\b/.test(info) || info.startsWith('ts src/')) continue
    if (/^ts( alone)?$/.test(info) && typeScriptDocuments.includes(document)) continue
    if (info === 'sh' && [...runDocuments, productionDocument].includes(document)) continue
    if (info === 'js' && document === productionDocument) continue
    if (info === 'sh archive' && document === 'docs/backup.md') continue // by test/archiving.long.ts
    // test/sdk-webhooks.test.ts runs the receivers.
    if (/^(js|ts) receiver\./.test(info)) continue
    assert.ok(!document.startsWith('docs/'), `${document} has a block "${info}" that no test runs`)
    assert.equal(info, 'sh no-run', `${document} has a block "${info}" that no test runs: mark it "sh no-run"`)
  }
})

test('the commands of the documents run as written and print the documented output', async (t) => {
  for (const tool of ['bash', 'curl']) if (!isInstalled(tool)) return t.skip(`${tool} is not installed`)
  const place = await newPlace(t)
  const printed = await startShop(t, place)
  const banner = blocksOf('docs/tour.md').find(({ text }) => text.includes('is ready'))
  assertShows(printed, banner?.text ?? '', 'docs/tour.md, the output of npm start')
  for (const document of runDocuments) await t.test(document, (part) => checkDocument(part, document, place))
  const left = readdirSync(place.folder).filter((name) => !harnessFiles.includes(name))
  assert.deepEqual(left, ['.vitrine'], 'a sample leaves a file in the checkout: git only ignores .vitrine')
  const url = `http://localhost:${place.env.PORT}`
  await t.test('docs/quick-start.md, its TypeScript', () =>
    runTypeScriptSamples('docs/quick-start.md', { url, storeKey: demoKeysIn(place).browserKey }),
  )
})

test('the commands for production run as written, including the restore of a backup', async (t) => {
  for (const tool of ['bash', 'curl']) if (!isInstalled(tool)) return t.skip(`${tool} is not installed`)
  const postgres = await startPostgres(t)
  if (postgres === null) return t.skip('there is no PostgreSQL of the system')
  const place = await newPlace(t)
  const path = `${postgres.bin}:${place.env.PATH}`
  const env = { ...place.env, ...postgres.env, PATH: path }
  await checkDocument(t, productionDocument, { ...place, env, ports: { ...place.ports, 5432: postgres.port } })
})
