import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { assertShows, type Block, blocksOf, root } from './documents.ts'

const run = promisify(execFile)
const tsc = join(root, 'node_modules/.bin/tsc')
const mark = '=== next sample ==='

export type SampleOptions = {
  /** Replaces `http://localhost:3000`. */
  url: string
  /** Replaces `vpk_…`. */
  storeKey?: string
  /** Replaces `store_…` and `vat_…`. */
  admin?: { storeId: string; token: string }
  /** Files that the samples read, by name. */
  files?: Record<string, Uint8Array>
  /** Code that runs after the samples and can use their variables. */
  epilogue?: string
  env?: Record<string, string>
}

/**
 * Compiles and runs the TypeScript of a document against a service. All `ts` blocks are one program and share variables;
 * a `ts alone` block is its own program. A `text` block directly after one shows its output, where `…` matches anything.
 */
export const runTypeScriptSamples = async (document: string, options: SampleOptions) => {
  const blocks = blocksOf(document)
  const story = blocks.filter(({ info }) => info === 'ts')
  const programs = [story, ...blocks.filter(({ info }) => info === 'ts alone').map((block) => [block])]
  assert.ok(story.length > 0, `${document} has no TypeScript`)
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-samples-'))
  try {
    await installClient(folder)
    writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }')
    for (const [i, parts] of programs.entries()) {
      const epilogue = i === 0 ? (options.epilogue ?? '') : ''
      writeFileSync(join(folder, `program-${i}.ts`), programOf(parts, epilogue, options))
    }
    for (const [name, bytes] of Object.entries(options.files ?? {})) writeFileSync(join(folder, name), bytes)
    await compile(folder, { types: ['node'] })
    for (const [i, parts] of programs.entries()) {
      assertPrints(document, parts, await runProgram(folder, `program-${i}.js`, options.env))
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Installs the client, built as published, for a project in this folder. */
export const installClient = async (folder: string) => {
  const place = join(folder, 'node_modules/@vitrine/client')
  mkdirSync(place, { recursive: true })
  cpSync(join(root, 'sdk/package.json'), join(place, 'package.json'))
  built ??= buildClient()
  cpSync(await built, join(place, 'dist'), { recursive: true })
}

/** Built once per test file. */
let built: Promise<string> | undefined

const buildClient = async () => {
  const dist = mkdtempSync(join(tmpdir(), 'vitrine-built-client-'))
  process.once('exit', () => rmSync(dist, { recursive: true, force: true }))
  await tell(run(tsc, ['-p', join(root, 'sdk'), '--outDir', dist]))
  return dist
}

/** Every strict option, so that the samples compile with any settings. */
const strictest = {
  ...{ target: 'es2022', module: 'nodenext', lib: ['es2022', 'dom', 'dom.iterable'], types: [] as string[] },
  ...{ strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, noImplicitOverride: true },
  ...{ noPropertyAccessFromIndexSignature: true, noImplicitReturns: true, noUnusedLocals: true },
  ...{ isolatedModules: true, verbatimModuleSyntax: true, skipLibCheck: false },
}

export const compile = (folder: string, settings: { types?: string[] } = {}) => {
  // Some types of Node and of browsers conflict, which the samples cannot avoid.
  const withNode = settings.types?.includes('node')
    ? { typeRoots: [join(root, 'node_modules/@types')], skipLibCheck: true, noUnusedLocals: false }
    : {}
  const config = { compilerOptions: { ...strictest, ...settings, ...withNode }, include: ['*.ts'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  return tell(run(tsc, ['-p', folder]))
}

/** The compiler prints its errors to stdout. */
const tell = async (running: Promise<unknown>) => {
  try {
    await running
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string }
    throw new Error(`${stdout}${stderr}`.trim(), { cause: error })
  }
}

export const runProgram = async (folder: string, file: string, env: Record<string, string> = {}) => {
  const storage = `--localstorage-file=${join(folder, 'storage')}`
  const place = { cwd: folder, env: { PATH: dirname(process.execPath), ...env }, timeout: 60_000 }
  return (await run(process.execPath, [storage, file], place)).stdout
}

const programOf = (parts: readonly Block[], epilogue: string, { url, storeKey, admin }: SampleOptions) =>
  [...parts.map(({ text }) => `console.log('${mark}')\n${text}`), epilogue]
    .join('\n')
    .replaceAll('http://localhost:3000', url)
    .replaceAll('vpk_…', storeKey ?? 'vpk_…')
    .replaceAll('store_…', admin?.storeId ?? 'store_…')
    .replaceAll('vat_…', admin?.token ?? 'vat_…')

const assertPrints = (document: string, parts: readonly Block[], printed: string) => {
  const outputs = printed.split(`${mark}\n`).slice(1)
  assert.equal(outputs.length, parts.length, `${document} stopped early`)
  for (const [i, { text, next }] of parts.entries()) {
    if (next?.info === 'text') assertShows(outputs[i] ?? '', next.text, `${document}: ${text.trim().split('\n')[0]}`)
  }
}
