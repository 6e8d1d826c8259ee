import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'

export const help = `npm run bench:peers -- [--products 10000] [--only NAME] [--seconds 10] [--connections 16]
                      [--keep FOLDER] [--rows FILE] [--smoke]

Runs the same five journeys on Vitrine, Vendure and Medusa, one after the other: a list of products, one product, a
search, a cart with a line, and a whole order. All three run in production mode, as one process each, on the same
PostgreSQL server with the same catalog. Prints the table of docs/benchmarks.md. Compare the processor times: a noisy
machine moves the rates.

Vendure and Medusa are installed by npm into \${XDG_CACHE_HOME:-~/.cache}/vitrine-bench-peers the first time: about a
gigabyte. The server is an embedded one, or the one that DATABASE_URL names; each product gets a database of its own there.

  --products N     how many products each catalog has; filling 10,000 takes Vendure and Medusa minutes
  --only NAME      only vitrine, vendure or medusa
  --seconds N      of processor time for each journey, of Node and PostgreSQL together, after half as many to warm up
  --connections N  how many shoppers there are at the same time
  --keep FOLDER    the embedded server keeps its data there, and need not be filled the next time; with DATABASE_URL the
                   databases stay
  --rows FILE      keeps the figures there, and prints them with those of earlier runs, to measure one by one with --only
  --smoke          only Vitrine, once, with little data: shows in seconds that this still runs; its figures mean nothing`

export const peerNames = ['vitrine', 'vendure', 'medusa'] as const
export type PeerName = (typeof peerNames)[number]

export type PeerArguments = {
  help: boolean
  products: number
  names: readonly PeerName[]
  seconds: number
  warmUpSeconds: number
  connections: number
  keep: string | undefined
  rows: string | undefined
}

export const readPeerArguments = (args: readonly string[]): PeerArguments => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      products: { type: 'string', default: '10000' },
      only: { type: 'string' },
      seconds: { type: 'string', default: '10' },
      connections: { type: 'string', default: '16' },
      keep: { type: 'string' },
      rows: { type: 'string' },
      smoke: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const { smoke } = values
  const seconds = smoke ? 0 : positive('--seconds', values.seconds)
  return {
    help: values.help,
    products: smoke ? 200 : positive('--products', values.products),
    names: namesFor(smoke ? 'vitrine' : values.only),
    seconds,
    // Node optimizes hot code while it runs; this measures a warm server.
    warmUpSeconds: Math.ceil(seconds / 2),
    connections: smoke ? 2 : positive('--connections', values.connections),
    keep: values.keep,
    rows: values.rows,
  }
}

const positive = (option: string, text: string) => {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1) throw new Error(`${option} must be a whole number from 1, not ${text}`)
  return value
}

const namesFor = (only: string | undefined): readonly PeerName[] => {
  if (only === undefined) return peerNames
  const names = peerNames.filter((name) => name === only)
  if (names.length === 0) throw new Error(`--only must be one of ${peerNames.join(', ')}, not ${only}`)
  return names
}

/** For the line above the table. */
export const describeMachine = () => `${availableParallelism()} ${process.arch} cores`
