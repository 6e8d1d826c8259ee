import { test } from 'node:test'
import { breakConnections } from './connections.ts'

// The short form of connections.long.ts.
test('connections to the database that are cut, silent, slow or refused lose nothing', (t) =>
  breakConnections(t, { rounds: 1, clients: 4, lastsMs: 1_000 }))
