import { test } from 'node:test'
import { breakConnections } from './connections.ts'

test('connections to the database that are cut, silent, slow or refused 20 times lose nothing', (t) =>
  breakConnections(t, { rounds: 20, clients: 20, lastsMs: 20_000 }))
