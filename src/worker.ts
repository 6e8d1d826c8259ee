import { enablePrivateCompileCache } from './cli/compile-cache.ts'

// The process of a worker, which `start --workers` forks.
enablePrivateCompileCache()
const { runWorker } = await import('./service/worker.ts')
runWorker()
