#!/usr/bin/env node
import { enablePrivateCompileCache } from './cli/compile-cache.ts'

enablePrivateCompileCache()
const { run } = await import('./cli/program.ts')
await run(process.argv)
