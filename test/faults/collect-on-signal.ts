import { releaseMemory } from '../../src/service/release-memory.ts'

/** Loaded before the service by `--import`: SIGUSR2 collects garbage, so that a test sees what is in use. */
process.on('SIGUSR2', releaseMemory)
