import type { InputFault } from '../input-faults.ts'

/** Where a fault is: a line of the file, or the number of an element in a JSON array, from 1. */
export type RecordFault = InputFault & { line: number }

/** One product of a file, not yet checked. */
export type ProductRecord = {
  line: number
  value: unknown
  /** What the reader itself found wrong; the value is of no use then. */
  faults?: readonly RecordFault[]
  /** Columns with something in them that has no place here. */
  ignored?: readonly string[]
  /** What was taken otherwise than it stands in the file, in a sentence. */
  notes?: readonly string[]
  /** For formats where one product fills several lines under other names. */
  locate?: (field: string) => { line: number; field: string }
}

/** The file cannot be read on from here, so none of it is taken. */
export class FileFault extends Error {
  override name = 'FileFault'
  readonly line: number

  constructor(line: number, message: string) {
    super(message)
    this.line = line
  }
}

/** A product that is larger than this is a quote or bracket that was never closed. */
export const maxRecordSize = 16 * 1024 * 1024

export const locateFault = ({ line, locate }: ProductRecord, fault: InputFault): RecordFault => ({
  ...fault,
  ...(locate?.(fault.field) ?? { line }),
})
