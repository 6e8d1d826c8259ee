import { doubles } from '../test/doubles/doubles.ts'

/** What the bench asks of a double in its own process (doubles.ts of this folder). */
export type AccountRequest = { storeId: string; webhookOrigin: string }
export type DoubleMessage = { url: string } | { credentials: Record<string, string> }

const chosen = doubles.find(({ name }) => name === process.argv[2])
if (chosen === undefined) throw new Error(`There is no double of ${process.argv[2]}.`)
const double = await chosen.start()
const send = (message: DoubleMessage) => process.send?.(message)

process.on('message', ({ storeId, webhookOrigin }: AccountRequest) => {
  send({ credentials: double.openAccount(webhookOrigin, storeId) })
})
// The bench has ended, however it ended.
process.on('disconnect', () => process.exit())
send({ url: double.url })
