import type { InputFault } from '../input-faults.ts'

/** `line` is a line of the file, or the number of an element in a JSON array, from 1. */
export type RecordFault = InputFault & { line: number }

/** One product of a file, not yet validated. */
export type ProductRecord = {
  line: number
  value: unknown
  /** Faults found by the reader. */
  faults?: readonly RecordFault[]
  /** Unknown columns that are not empty. */
  ignored?: readonly string[]
  /** Values that are imported differently from the file, each as a sentence. */
  notes?: readonly string[]
  /** For formats in which a product spans several lines and columns have other names. */
  locate?: (field: string) => { line: number; field: string }
}

/** The rest of the file cannot be read, so nothing is imported. */
export class FileFault extends Error {
  override name = 'FileFault'
  readonly line: number

  constructor(line: number, message: string) {
    super(message)
    this.line = line
  }
}

/** Anything larger is an unclosed quote or bracket. */
export const maxRecordSize = 4 * 1024 * 1024

export const locateFault = ({ line, locate }: ProductRecord, fault: InputFault): RecordFault => ({
  ...fault,
  ...(locate?.(fault.field) ?? { line }),
})
