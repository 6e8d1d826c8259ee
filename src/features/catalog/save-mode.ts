export type SaveMode = {
  /** The file is the whole truth about its products: what it leaves out gets its default, other variants are switched off. */
  replace: boolean
  /** Sets the stock of variants that exist; that of new ones is always set. */
  setStock: boolean
}

/** Fields as files name them. */
export type Field = string
