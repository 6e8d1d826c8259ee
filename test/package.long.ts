import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'

test('the packed service and its clients, installed in an empty project, run, and the service has its pages', async (t) => {
  const project = mkdtempSync(join(tmpdir(), 'vitrine-package-'))
  // As root, the database runs as another user, who must reach the data folder in it.
  chmodSync(project, 0o755)
  t.after(() => {
    rmSync(project, { recursive: true, force: true })
    for (const built of ['dist', 'sdk/dist']) rmSync(built, { recursive: true, force: true })
  })
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  for (const cwd of ['.', 'sdk'])
    execFileSync('npm', ['pack', '--pack-destination', project], {
      cwd,
      stdio: 'ignore',
      env: { ...process.env, PATH: `${resolve('node_modules/.bin')}${delimiter}${process.env.PATH}` },
    })
  writeFileSync(join(project, 'package.json'), '{ "private": true }')
  // Without the settings of this test run: the demo shop needs the embedded database.
  const { NODE_ENV: _, NODE_OPTIONS: __, ...settings } = process.env
  const env = { ...settings, PORT: '34871', VITRINE_DEMO_PORT: '34872' }
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: project, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  run('npm', 'install', `./vitrine-${version}.tgz`, `./vitrine-client-${version}.tgz`)
  assert.equal(run('npx', 'vitrine', '--version').trim(), version)
  const made = run('npx', 'vitrine', 'seed', 'demo', '--json')
  assert.match(JSON.parse(made).storeId, /^store_/)

  const service = spawn(process.execPath, ['node_modules/vitrine/bin/vitrine.js', 'start'], {
    // A database of its own: only the demo store of a first start has a shop.
    ...{ cwd: project, env: { ...env, VITRINE_DATA_DIR: join(project, 'data') }, stdio: 'ignore' },
  })
  const ended = once(service, 'exit')
  const read = async (url: string) => {
    for (let tries = 0; ; tries++) {
      const answer = await fetch(url).catch(() => null)
      if (answer !== null) return { status: answer.status, text: await answer.text() }
      assert.ok(tries < 600 && service.exitCode === null, `${url} does not answer`)
      await setTimeout(100)
    }
  }
  try {
    for (const page of [`http://localhost:${env.VITRINE_DEMO_PORT}/`, `http://localhost:${env.PORT}/admin`]) {
      const { status, text } = await read(page)
      assert.equal(status, 200, page)
      const files = [...text.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css))"/g)].map(([, file]) => file ?? '')
      assert.ok(files.length >= 2, text)
      for (const file of files) assert.equal((await read(new URL(file, page).href)).status, 200, file)
    }
    const asRunning = { ...env, VITRINE_DATA_DIR: join(project, 'data') }
    const cli = ['node_modules/vitrine/bin/vitrine.js', 'token', 'create', '--role', 'viewer', '--json']
    const { token } = JSON.parse(
      execFileSync(process.execPath, cli, { cwd: project, env: asRunning, encoding: 'utf8' }),
    )
    const demo = JSON.parse(readFileSync(join(project, 'data/demo.json'), 'utf8'))
    writeFileSync(join(project, 'clients.mjs'), clients)
    const told = { ...asRunning, KEY: demo.browserKey, STORE: demo.storeId, TOKEN: token }
    const shown = execFileSync(process.execPath, ['clients.mjs'], { cwd: project, env: told, encoding: 'utf8' })
    assert.match(shown, /^function \d+ 1\n$/)
  } finally {
    service.kill('SIGTERM')
    await ended
  }
})

/** Each client reads something, by the name under which it is published. */
const clients = `
import { createClient, memoryStorage } from '@vitrine/client'
import { createAdminClient } from '@vitrine/client/admin'
import { verifyWebhook } from '@vitrine/client/webhooks'

const { KEY: storeKey, STORE: storeId, TOKEN: token, PORT } = process.env
const url = 'http://localhost:' + PORT
const shop = createClient({ url, storeKey, storage: memoryStorage() })
const admin = createAdminClient({ url, storeId, token })
const { items } = await admin.listProducts({ limit: 1 })
console.log(typeof verifyWebhook, (await shop.listProducts({ limit: 3 })).items.length, items.length)
`
