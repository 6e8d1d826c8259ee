import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { newFolder, root, runProcess, seededInstallation, startService } from './fixture.ts'

/** Each takes time and memory to load, and most processes never use it. */
const rare = [
  ...['@redis/client', '@scalar/fastify-api-reference', 'esbuild', 'libphonenumber-js', 'marked', 'nodemailer'],
  ...['postal-mime', 'postcss', 'sanitize-html', 'sharp'],
]

/** Node that notes at its end which packages it has loaded. */
const notingNode = (t: TestContext) => {
  const folder = newFolder(t)
  const [hook, note] = [join(folder, 'hook.mjs'), join(folder, 'loaded.json')]
  writeFileSync(
    hook,
    `import { writeFileSync } from 'node:fs'
    import { registerHooks } from 'node:module'
    const loaded = new Set()
    registerHooks({
      load: (url, context, next) => {
        loaded.add(/.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1] ?? 'own')
        return next(url, context)
      },
    })
    process.on('exit', () => writeFileSync(${JSON.stringify(note)}, JSON.stringify([...loaded])))`,
  )
  return {
    program: [process.execPath, '--import', hook, join(root, 'src/main.ts')],
    readLoaded: (): string[] => JSON.parse(readFileSync(note, 'utf8')),
  }
}

const assertNoneRare = (loaded: readonly string[]) => {
  assert.ok(loaded.includes('commander') && loaded.includes('pino'), 'packages are noted')
  assert.deepEqual(
    rare.filter((name) => loaded.includes(name)),
    [],
  )
}

test('a command loads no package that few commands need', async (t) => {
  const { program, readLoaded } = notingNode(t)
  const { code, stderr } = await runProcess(['--help'], { VITRINE_DATA_DIR: newFolder(t) }, { program })
  assert.equal(code, 0, stderr)
  assertNoneRare(readLoaded())
})

test('the service starts without packages that few requests need', async (t) => {
  const { program, readLoaded } = notingNode(t)
  const service = await startService(t, await seededInstallation(t), { program: [...program, 'start'] })
  assert.equal((await service.stop()).code, 0)
  assertNoneRare(readLoaded())
})
