#!/usr/bin/env node
import { enableCompileCache } from 'node:module'

// Later starts find the compiled modules of the first one.
enableCompileCache()
const { run } = await import('./cli/program.ts')
await run(process.argv)
