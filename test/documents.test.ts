import assert from 'node:assert/strict'
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Value } from 'typebox/value'
import { Environment } from '../src/config.ts'
import { contracts, describeVitrine } from '../src/contract.ts'
import { errorCatalogue } from '../src/core/errors.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const documents = globSync('{*.md,docs/**/*.md}', { cwd: root }).sort()

/** Commands in these are run; commands elsewhere must say `no-run`. */
const runDocuments = [
  'README.md',
  'docs/catalog.md',
  'docs/guests-and-carts.md',
  'docs/signing-in.md',
  'docs/checkout-and-payment.md',
  'docs/delivery.md',
  'docs/operating.md',
  // Last, because it makes a second store, and others name none.
  'docs/webhooks.md',
]

test('docs/errors.md has every code with its status, and no other', () => {
  const rows = [...read('docs/errors.md').matchAll(/^\| `([A-Z_]+)` \| (\d+) \| (.+) \| (.+) \|$/gm)]
  const written = rows.map(([, code, status]) => [code, Number(status)])
  const real = Object.entries(errorCatalogue).map(([code, { status }]) => [code, status])
  assert.deepEqual(written, real, 'bring the table in docs/errors.md in line with src/core/errors.ts, in its order')
})

test("the README's table of settings has every setting with its default and meaning, and no other", () => {
  const rows = [...read('README.md').matchAll(/^\| `([A-Z0-9_]+)` \| (?:`(.+)`|–) \| (.+) \|$/gm)]
  const written = rows.map(([, name, value, meaning]) => ({ name, value, meaning }))
  const real = Object.entries(Environment.properties).map(([name, setting]) => {
    const { default: value, description } = setting as { default?: unknown; description?: string }
    return { name, value: value === undefined ? undefined : String(value), meaning: description }
  })
  assert.deepEqual(written, real, "bring the README's table in line with Environment in src/config.ts, in its order")
})

test('every relative link points to something that exists', () => {
  let links = 0
  for (const document of documents) {
    const prose = read(document)
      .replaceAll(/^```[\s\S]*?^```$/gm, '')
      .replaceAll(/`[^`\n]*`/g, '')
    for (const [, target = ''] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue
      const [path, anchor] = target.split('#')
      const file = path ? join(dirname(document), path) : document
      assert.ok(existsSync(join(root, file)), `${document} links to ${target}, which does not exist`)
      if (anchor) assert.ok(anchorsOf(file).includes(anchor), `${document} links to ${target}: no such heading`)
      links++
    }
  }
  assert.ok(links > 20, 'the links were not found')
})

/** Headings as addresses, as forges make them. */
const anchorsOf = (file: string) =>
  [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\- ]/gu, '')
      .replaceAll(' ', '-'),
  )

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

test("the README's first code is the two ways in", () => {
  const [first] = blocksOf('README.md')
  assert.equal(first?.text, 'npm ci && npm start\nnpm ci && npm test\n')
  assert.ok(read('README.md').startsWith('# Vitrine\n\n```'), 'nothing but the title may stand before them')
})

test('code that the documents quote is in the file that they name', () => {
  const quotes = documents.flatMap(blocksOf).filter(({ info }) => info.startsWith('ts src/'))
  assert.ok(quotes.length > 0)
  for (const { document, info, text } of quotes) {
    const file = info.slice('ts '.length)
    assert.ok(squeeze(read(file)).includes(squeeze(text)), `${document} quotes what ${file} does not say:\n${text}`)
  }
})

test('the committed openapi.json is the one that the contracts describe', () => {
  const { version } = JSON.parse(read('package.json'))
  const real = `${JSON.stringify(describeVitrine(version), null, 2)}\n`
  assert.ok(read('openapi.json') === real, 'openapi.json is out of date: run "npm run openapi" and look at the change')
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
          assert.ok(statuses.includes(status), `${name} does not tell of ${status}`)
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

test('commands in other documents say that they are not run', () => {
  for (const { document, info } of documents.flatMap(blocksOf)) {
    if (runDocuments.includes(document) || !info.startsWith('sh')) continue
    assert.equal(info, 'sh no-run', `${document} has a block "sh" that no test runs: mark it "sh no-run"`)
  }
})

test('the commands of the documents run as written and print what is shown', async (t) => {
  for (const tool of ['bash', 'curl']) if (!isInstalled(tool)) return t.skip(`${tool} is not installed`)
  const shop = await startShop(t)
  const [, banner] = blocksOf('README.md')
  assertShows(shop.printed, banner?.text ?? '', 'README.md, what the start prints')
  for (const document of runDocuments) {
    for (const { command, shown, output } of await runDocument(document, shop)) {
      const where = `${document}: ${command.trim().split('\n').at(-1)}`
      if (shown !== undefined) assertShows(output, shown, where)
      else assert.doesNotMatch(output, /"code":"[A-Z_]+"/, `${where} was answered with an error`)
    }
  }
})

type Block = { document: string; info: string; text: string; next: Block | undefined }

const blocksOf = (document: string): Block[] => {
  const blocks: Block[] = []
  for (const [, info = '', text = ''] of read(document).matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)) {
    const block: Block = { document, info, text, next: undefined }
    const last = blocks.at(-1)
    if (last !== undefined) last.next = block
    blocks.push(block)
  }
  return blocks
}

const squeeze = (text: string) => text.replaceAll(/\s+/g, '')

/** White space does not count, and `…` stands for anything. */
const assertShows = (output: string, shown: string, where: string) => {
  let rest = squeeze(output)
  const pieces = squeeze(shown).split('…')
  for (const [i, piece] of pieces.entries()) {
    const isLast = i === pieces.length - 1
    const at = isLast && i > 0 ? (rest.endsWith(piece) ? rest.length - piece.length : -1) : rest.indexOf(piece)
    const fits = at >= 0 && (i > 0 || at === 0) && (pieces.length > 1 || rest === piece)
    assert.ok(fits, `${where}\nshows   ${piece}\nbut got ${rest.slice(0, 2000)}\nin\n${output}`)
    rest = rest.slice(at + piece.length)
  }
}

type Shop = { folder: string; port: number; env: NodeJS.ProcessEnv; printed: string }

/** What `npm start` does, in a folder of its own and on a free port. */
const startShop = async (t: TestContext): Promise<Shop> => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-documents-'))
  const port = await freePort()
  // Only what a newcomer's terminal would have: no setting of whoever runs the tests.
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: folder,
    PORT: String(port),
    NO_PROXY: 'localhost',
  }
  const child = spawn(process.execPath, [join(root, 'src/main.ts'), 'start'], { cwd: folder, env })
  t.after(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    }
    rmSync(folder, { recursive: true, force: true })
  })
  let printed = ''
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (text) => (complaints += text))
  await new Promise<void>((resolve, reject) => {
    child.on('exit', (code) => reject(new Error(`the service ended with ${code}: ${complaints}`)))
    child.stdout.setEncoding('utf8').on('data', (text) => {
      printed += text
      if (printed.includes('Stop with Ctrl+C.')) resolve()
    })
  })
  const from = printed.indexOf('  Vitrine ')
  const to = printed.indexOf('Stop with Ctrl+C.') + 'Stop with Ctrl+C.'.length
  return { folder, port, env, printed: asDocumented(printed.slice(from, to), port) }
}

const freePort = async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}

/**
 * Runs all blocks of a document in one shell, in order, so that a variable of one is there in the next. Two things are
 * changed on the way: the port, because 3000 may be taken, and `npm run vitrine --`, because npm would go to the folder
 * of the checkout and its data.
 */
const runDocument = async (document: string, { folder, port, env }: Shop) => {
  const mark = '=== next block ==='
  const blocks = blocksOf(document).filter(({ info }) => info === 'sh')
  assert.ok(blocks.length > 0, `${document} has no commands`)
  const program = join(root, 'src/main.ts')
  const script = blocks
    .map(({ text }) => text.replaceAll('localhost:3000', `localhost:${port}`))
    .map((text) => text.replaceAll(/npm run (-s )?vitrine --/g, `'${process.execPath}' '${program}'`))
    .map((text) => `echo '${mark}'\n${text}`)
    .join('\n')
  const file = join(folder, 'commands.sh')
  writeFileSync(file, script)
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', file], {
    cwd: folder,
    env,
    timeout: 120_000,
  })
  const outputs = stdout.split(mark).slice(1)
  assert.equal(outputs.length, blocks.length, `${document} stopped early`)
  return blocks.map(({ text, next }, i) => ({
    command: text,
    shown: next !== undefined && /^(json|text)$/.test(next.info) ? next.text : undefined,
    output: asDocumented(outputs[i] ?? '', port),
  }))
}

const asDocumented = (text: string, port: number) => text.replaceAll(`localhost:${port}`, 'localhost:3000')

const isInstalled = (tool: string) => {
  try {
    execFileSync(tool, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
