import { errorMessage } from '../core/thrown.ts'
import { toOperatorError } from './domain-errors.ts'

/** What one check of `doctor` found. */
export type CheckResult = { check: string; state: 'ok' | 'warning' | 'fault'; detail: string }

export const ok = (check: string, detail: string): CheckResult => ({ check, state: 'ok', detail })
export const warning = (check: string, detail: string): CheckResult => ({ check, state: 'warning', detail })
export const fault = (check: string, detail: string): CheckResult => ({ check, state: 'fault', detail })
/** A check that could not be made, in the words of the other commands. */
export const failure = (check: string, error: unknown) => fault(check, errorMessage(toOperatorError(error)))

const marks = { ok: 'ok     ', warning: 'warning', fault: 'FAULT  ' }
export const showResult = ({ check, state, detail }: CheckResult) => `${marks[state]}  ${check.padEnd(12)}  ${detail}`
