import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { mainProgram as program } from '../src/cli/fixture.ts'
import { assertShows, blocksOf } from './documents.ts'

/** Files that this harness itself writes into the folder. */
export const harnessFiles = ['commands.sh', 'console.txt']

/** Where commands of documents run: a folder, an environment, and the real port for each documented one. */
export type Place = { folder: string; env: NodeJS.ProcessEnv; ports: Record<number, number> }

/** The environment of a new terminal, without the settings of this process. */
export const newPlace = async (t: TestContext): Promise<Place> => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-documents-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const [port, demoPort] = [await freePort(), await freePort()]
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: folder,
    PORT: String(port),
    VITRINE_DEMO_PORT: String(demoPort),
    NO_PROXY: 'localhost,127.0.0.1',
    // Only loads the program faster (test/run.ts).
    NODE_OPTIONS: process.env.NODE_OPTIONS ?? '',
  }
  return { folder, env, ports: { 3000: port, 3001: demoPort } }
}

/** Runs `npm start`. Its output goes to console.txt, in place of the other terminal. */
export const startShop = async (t: TestContext, place: Place): Promise<string> => {
  const { folder } = place
  // docs/keys.md makes a token with this secret, and says that the service has to know it.
  const env = { ...place.env, VITRINE_INTERNAL_SECRET: 'thirty-two-characters-of-your-own' }
  const child = spawn(process.execPath, [program, 'start'], { cwd: folder, env })
  t.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  })
  let printed = ''
  let complaints = ''
  child.stdout.pipe(createWriteStream(join(folder, 'console.txt')))
  child.stderr.setEncoding('utf8').on('data', (text) => (complaints += text))
  await new Promise<void>((resolve, reject) => {
    child.on('exit', (code) => reject(new Error(`the service ended with ${code}: ${complaints}`)))
    child.stdout.on('data', (bytes) => {
      printed += bytes
      if (printed.includes('Stop with Ctrl+C.')) resolve()
    })
  })
  const from = printed.indexOf('  Vitrine ')
  const to = printed.indexOf('Stop with Ctrl+C.') + 'Stop with Ctrl+C.'.length
  return asDocumented(printed.slice(from, to), place)
}

/** Runs the commands of a document and compares their output with the output that it shows. */
export const checkDocument = async (t: TestContext, document: string, place: Place) => {
  for (const { command, shown, output } of await runDocument(t, document, place)) {
    const where = `${document}: ${command.trim().split('\n').at(-1)}`
    if (shown !== undefined) assertShows(output, shown, where)
    else assert.doesNotMatch(output, /"code":"[A-Z_]+"/, `${where} was answered with an error`)
  }
}

/**
 * Runs all blocks of a document in one shell, in order, so that later blocks can use earlier variables. Replaced are the
 * ports, which may be taken; `npm`, which would use the folder and data of the checkout (another test covers the banner
 * that npm prints); and the one-time password, which a person reads from the console.
 */
const runDocument = async (t: TestContext, document: string, place: Place) => {
  const mark = '=== next block ==='
  const blocks = blocksOf(document).filter(({ info }) => info === 'sh')
  assert.ok(blocks.length > 0, `${document} has no commands`)
  const script = blocks.map(({ text }) => `echo '${mark}'\n${asScript(text, place)}`).join('\n')
  const outputs = (await runShell(t, script, document, place)).split(mark).slice(1)
  assert.equal(outputs.length, blocks.length, `${document} stopped early`)
  return blocks.map(({ text, next }, i) => ({
    command: text,
    shown: next !== undefined && /^(json|text)$/.test(next.info) ? next.text : undefined,
    output: asDocumented(outputs[i] ?? '', place),
  }))
}

/** A block of commands, adapted to this machine. */
export const asScript = (text: string, place: Place) => {
  const vitrine = `'${process.execPath}' '${program}'`
  return withPorts(text, place.ports)
    .replaceAll(/npm run (-s )?vitrine --/g, vitrine)
    .replaceAll(/^npm start/gm, `${vitrine} start`)
    .replaceAll('OTP=123456', readCode)
}

/** Waits, because another process writes the console, possibly after the response. */
const readCode = "sleep 1; OTP=$(sed -n 's/^.*OTP for .* is //p' console.txt | tail -n 1)"

/** In a process group of its own, so that programs left running end with the test. */
const runShell = async (t: TestContext, script: string, document: string, { folder, env }: Place) => {
  const file = join(folder, 'commands.sh')
  writeFileSync(file, script)
  const said = { out: '', err: '' }
  const child = spawn('bash', ['-euo', 'pipefail', file], { cwd: folder, env, detached: true })
  t.after(() => endGroup(child.pid))
  child.stdout.setEncoding('utf8').on('data', (text) => (said.out += text))
  child.stderr.setEncoding('utf8').on('data', (text) => (said.err += text))
  const [code] = await once(child, 'close', { signal: AbortSignal.timeout(120_000) })
  assert.equal(code, 0, `${document} ended with ${code}: ${said.err}\n${said.out.slice(-2000)}`)
  return said.out
}

export const endGroup = (pid: number | undefined) => {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

const withPorts = (text: string, ports: Place['ports']) =>
  text.replaceAll(/(localhost|127\.0\.0\.1):(\d+)/g, (whole, host, port) => {
    const real = ports[Number(port)]
    return real === undefined ? whole : `${host}:${real}`
  })

const asDocumented = (text: string, { ports }: Place) =>
  Object.entries(ports).reduce(
    (all, [written, real]) => all.replaceAll(`localhost:${real}`, `localhost:${written}`),
    text,
  )

export const isInstalled = (tool: string) => {
  try {
    execFileSync(tool, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

export const freePort = async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

export const demoKeysIn = ({ folder }: Place): { browserKey: string; serverKey: string } =>
  JSON.parse(readFileSync(join(folder, '.vitrine/demo.json'), 'utf8'))
