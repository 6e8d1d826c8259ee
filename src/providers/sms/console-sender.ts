import type { SmsSender } from './sender.ts'

export type Print = (line: string) => void

/** For development: prints the one-time password and sends nothing. */
export const createConsoleSender = (print: Print = printToOutput): SmsSender => ({
  name: 'console',
  send: async ({ phone, code }) => print(`OTP for ${phone} is ${code}`),
})

/** Not through the logger, which would redact the phone number. */
const printToOutput: Print = (line) => void process.stdout.write(`${line}\n`)
