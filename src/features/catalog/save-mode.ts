export type SaveMode = {
  /** Replaces the products of the file: omitted fields get their default, and other variants are deactivated. */
  replace: boolean
  /** Sets the stock of existing variants. The stock of new ones is always set. */
  setStock: boolean
}

/** A field name as in import files. */
export type Field = string
