import { test } from 'node:test'
import { fillDisk } from './disk-full.ts'

test('a disk that is full three times refuses orders, loses none, and is survived', (t) =>
  fillDisk(t, { rounds: 3, clients: 10, lastsMs: 20_000 }))
