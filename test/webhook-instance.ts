import { startTestService } from './harness.ts'

/** An instance that sends webhooks until it is killed, and prints a line when it has started. Its clock is ahead by the second argument, in milliseconds. */
const service = await startTestService({ databaseUrl: process.argv[2] ?? '', jobs: { everyMs: 20 } })
service.clock.advance(Number(process.argv[3] ?? 0))
process.stdout.write('started\n')
