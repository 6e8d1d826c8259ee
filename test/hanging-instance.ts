import { scriptedProvider } from '../src/features/payments/fixture.ts'
import { startTestService } from './harness.ts'

/** An instance whose provider never answers a refund. It prints the payment when it requests a refund, and runs until it is killed. */
const { provider } = scriptedProvider()
await startTestService({
  databaseUrl: process.argv[2] ?? '',
  jobs: { everyMs: 20 },
  paymentProviders: [
    {
      ...provider,
      refund: (_account, { paymentId }) => {
        process.stdout.write(`${paymentId}\n`)
        return new Promise(() => {})
      },
    },
  ],
})
