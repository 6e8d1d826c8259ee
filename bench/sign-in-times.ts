import { parseArgs } from 'node:util'
import pg from 'pg'
import { openEmbedded } from '../src/db/embedded.ts'
import { createStore, newDataDir, removeDataDir, startService } from './service.ts'
import { addKnownAccounts, compareSides, type Post, signInCases } from './sign-in-cases.ts'

const limitMs = 2

const help = `npm run bench:sign-in-times -- [--pairs 1000] [--smoke]

Measures whether the time of an answer tells an address with an account from one without, and a token that has expired
from one that never was: one call after another, known and unknown in turns. Fails if the medians of a route differ by
${limitMs} ms or more.

  --pairs N   calls of each side and route
  --smoke     a few calls of each: shows in seconds that this still runs; its figures mean nothing`

const { values } = parseArgs({
  options: {
    pairs: { type: 'string', default: '1000' },
    smoke: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const print = (text: string) => void process.stdout.write(`${text}\n`)
const pairs = values.smoke ? 5 : Number(values.pairs)
const warmUps = values.smoke ? 1 : 50

const main = async () => {
  if (values.help) return print(help)
  const dataDir = newDataDir()
  const service = await startService(dataDir)
  const database = await openEmbedded({ dataDir, role: 'command' })
  try {
    const { storeId, key } = createStore(service, 'Bench', 'sandbox')
    const client = new pg.Client(database.connection)
    await client.connect()
    await addKnownAccounts(client, storeId, pairs)
    await client.end()
    await compareAll(service.url, key)
  } finally {
    await database.stop()
    await service.stop()
    removeDataDir(dataDir)
  }
}

const compareAll = async (url: string, key: string) => {
  const headers = { 'x-store-key': key, 'content-type': 'application/json' }
  const post: Post = async (path, body) => {
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return { status: answer.status, text: await answer.text() }
  }
  for (let i = 0; i < warmUps; i++) await post('/v1/auth/email/verify', { token: 'vrf_warm-up' })
  print(['route'.padEnd(14), ...['known ms', 'unknown ms', 'difference'].map((head) => head.padStart(12))].join(''))
  const slow: string[] = []
  for (const one of signInCases(post)) {
    const { known, unknown } = await compareSides(one, pairs)
    const difference = Math.abs(known - unknown)
    if (difference >= limitMs) slow.push(one.name)
    const figures = [known, unknown, difference].map((figure) => figure.toFixed(3).padStart(12))
    print([one.name.padEnd(14), ...figures].join(''))
  }
  print(`under ${limitMs} ms on every route: ${slow.length === 0 ? 'yes' : `no, not ${slow.join(', ')}`}`)
  if (slow.length > 0 && !values.smoke) process.exitCode = 1
}

await main()
