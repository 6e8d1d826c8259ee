import { describeMachine, help, type PeerName, readPeerArguments } from './arguments.ts'
import { peerProducts, wordsToSearch } from './catalog.ts'
import type { PeerStart, RunningPeer } from './driver.ts'
import { measurePeer } from './measure.ts'
import { startMedusa } from './medusa.ts'
import { versionOf } from './packages.ts'
import { openPeerServer } from './server.ts'
import { formatPeerTable, keepRows, type PeerRow } from './table.ts'
import { startVendure } from './vendure.ts'
import { startVitrine } from './vitrine.ts'

/**
 * What is equal for all three: the server of the database and its settings, the connections to it (as many as shoppers),
 * the version of Node, one process, the catalog, and the load, which runs on the same machine. They run one after the
 * other, so that no idle one takes time from another. The settings of each are described at its start function:
 * vitrine.ts, vendure.ts (with vendure-server.ts) and medusa.ts. Each journey is made of as few calls as the product needs
 * for it.
 */
const starts: Record<PeerName, readonly ((start: PeerStart) => Promise<RunningPeer>)[]> = {
  vitrine: [startVitrine],
  vendure: [startVendure],
  medusa: [(start) => startMedusa(start, false), (start) => startMedusa(start, true)],
}

const print = (text: string) => void process.stdout.write(`${text}\n`)
const say = (text: string) => void process.stderr.write(`${text}\n`)

const main = async () => {
  const options = readPeerArguments(process.argv.slice(2))
  if (options.help) return print(help)
  const products = peerProducts(options.products)
  const words = wordsToSearch(products)
  const { connections } = options
  const server = await openPeerServer(options.keep)
  const rows: PeerRow[] = []
  try {
    for (const name of options.names) {
      for (const start of starts[name]) {
        const database = await server.openDatabase(name, products.length)
        const peer = await start({ database, products, words, connections, say })
        try {
          rows.push(...(await measurePeer(peer, server, database, { ...options, say })))
        } finally {
          await peer.stop()
        }
      }
    }
  } finally {
    await server.close()
  }
  const versions = `Vendure ${versionOf('vendure')}, Medusa ${versionOf('medusa')}, ${server.description}`
  print(
    `${products.length.toLocaleString('en')} products, ${connections} connections, ${options.seconds} s of processor time for each journey`,
  )
  print(`${versions}, Node ${process.version}, ${describeMachine()}\n`)
  print(formatPeerTable(options.rows === undefined ? rows : keepRows(options.rows, rows)))
  // A comparison with errors is none.
  if (rows.some(({ failures }) => failures > 0)) process.exitCode = 1
}

await main()
