import pg from 'pg'
import { measureImport } from './import.ts'
import { openEmbedded } from '../src/db/embedded.ts'
import { newDataDir, removeDataDir, startService } from './service.ts'
const dataDir = newDataDir()
const service = await startService(dataDir)
const database = await openEmbedded({ dataDir, role: 'guest' })
const client = new pg.Client(database.connection); await client.connect()
for (const setting of ['off', 'on', 'off', 'on']) {
  await client.query(`alter index listing_words set (fastupdate = ${setting})`)
  const { products, first } = await measureImport(service, 6000)
  console.log(setting, (products / first.seconds).toFixed(0), first.peak.toFixed(0))
}
await client.end(); await database.stop(); await service.stop(); removeDataDir(dataDir)
