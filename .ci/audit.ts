import { spawnSync } from 'node:child_process'

export type Verdict = { kind: 'clean' | 'vulnerable' | 'not checked'; text: string }

type Answer = {
  message?: string
  error?: { summary?: string; code?: string }
  metadata?: { vulnerabilities?: { total?: number } }
  vulnerabilities?: Record<string, { severity: string; range: string; isDirect: boolean }>
}

const grave = ['high', 'critical']

/** The output of `npm audit --json`: a report, or the reason why there is none. */
export const judge = (printed: string): Verdict => {
  const answer = JSON.parse(printed) as Answer
  if (answer.metadata?.vulnerabilities === undefined) {
    const reason = answer.message || answer.error?.summary || answer.error?.code
    if (!reason) throw new Error(`npm audit printed neither a report nor a reason: ${printed.slice(0, 500)}`)
    return { kind: 'not checked', text: `not checked: the registry does not answer audits (${reason})` }
  }
  const found = Object.entries(answer.vulnerabilities ?? {}).filter(([, { severity }]) => grave.includes(severity))
  if (found.length > 0) {
    const lines = found.map(([name, { severity, range }]) => `${name} ${range}: ${severity}`)
    return { kind: 'vulnerable', text: lines.join('\n') }
  }
  const minor = answer.metadata.vulnerabilities.total ?? 0
  return { kind: 'clean', text: `nothing known of high severity or above${minor > 0 ? `, ${minor} below` : ''}` }
}

const main = () => {
  const args = ['audit', '--omit=dev', '--audit-level=high', '--json']
  const { stdout, stderr } = spawnSync('npm', args, { encoding: 'utf8' })
  const verdict = judge(stdout || JSON.stringify({ message: stderr.trim() }))
  const output = verdict.kind === 'vulnerable' ? process.stderr : process.stdout
  output.write(`${verdict.text}\n`)
  if (verdict.kind === 'vulnerable') process.exitCode = 1
}

if (import.meta.main) main()
