import { OperatorError } from '../core/operator-error.ts'
import type { OutputOptions } from './output.ts'

const lineEveryMs = 10_000
const redrawEveryMs = 200

/**
 * Shows the progress of a long command on standard error: one line that changes on a terminal, elsewhere a line every
 * ten seconds, and nothing with --json. A signal ends the work at the next step, so that it can tidy up.
 */
export const showProgress = ({ json }: OutputOptions) => {
  let interrupted = false
  let lastAt = performance.now()
  const interrupt = () => {
    interrupted = true
  }
  process.once('SIGINT', interrupt)
  process.once('SIGTERM', interrupt)
  const { isTTY } = process.stderr
  const report = (phase: string) => (step: string, bytes: number) => {
    if (interrupted) throw new OperatorError('Interrupted. Nothing was changed.')
    const now = performance.now()
    if (json || now - lastAt < (isTTY ? redrawEveryMs : lineEveryMs)) return
    lastAt = now
    const text = `${phase}: ${(bytes / 1e6).toFixed(1)} MB, ${step.slice(0, 80)}`
    process.stderr.write(isTTY ? `\r\x1b[K${text}` : `${text}\n`)
  }
  const end = () => {
    if (isTTY && !json) process.stderr.write('\r\x1b[K')
    process.removeListener('SIGINT', interrupt)
    process.removeListener('SIGTERM', interrupt)
  }
  return { report, end }
}
