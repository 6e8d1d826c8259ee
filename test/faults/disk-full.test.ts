import { test } from 'node:test'
import { fillDisk } from './disk-full.ts'

// The short form of disk-full.long.ts.
test('a full disk refuses orders, loses none, and is survived', (t) =>
  fillDisk(t, { rounds: 1, clients: 4, lastsMs: 1_000 }))
