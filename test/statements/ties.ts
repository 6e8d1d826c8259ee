/** Which columns are known to be equal. */
export type Ties = {
  tie(a: string, b: string): void
  areTied(a: string, b: string): boolean
  /** What is added to a copy is not known to the original. */
  copy(): Ties
}

export const createTies = (known: ReadonlyMap<string, string> = new Map()): Ties => {
  const parents = new Map(known)
  const find = (key: string): string => {
    const parent = parents.get(key)
    return parent === undefined || parent === key ? key : find(parent)
  }
  return {
    tie: (a, b) => void parents.set(find(a), find(b)),
    areTied: (a, b) => find(a) === find(b),
    copy: () => createTies(parents),
  }
}
