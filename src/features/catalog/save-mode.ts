import type { Author } from '../context.ts'

export type SaveMode = {
  /** Replaces the products of the file: omitted fields get their default, and other variants are deactivated. */
  replace: boolean
  /** Sets the stock of existing variants. The stock of new ones is always set. */
  setStock: boolean
  /** Whom the ledger of stock names. Absent: an operator at the command line. */
  by?: Author
  /** Why stock changes, for the ledger. Absent: `import`. */
  cause?: 'import' | 'adjustment'
}

/** A field name as in import files. */
export type Field = string
