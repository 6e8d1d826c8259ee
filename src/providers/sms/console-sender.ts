import type { SmsSender } from './sender.ts'

export type Print = (line: string) => void

/** For trying things out: the password is shown to whoever runs the service, and nothing is sent. */
export const createConsoleSender = (print: Print = printToOutput): SmsSender => ({
  name: 'console',
  send: async ({ phone, code }) => print(`OTP for ${phone} is ${code}`),
})

/** Not through the logger, which would redact the phone number. */
const printToOutput: Print = (line) => void process.stdout.write(`${line}\n`)
