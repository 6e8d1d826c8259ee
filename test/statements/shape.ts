/** A TypeScript type, as far as samples and columns need it. */
export type Shape =
  | { kind: 'number' | 'string' | 'boolean' | 'Date' | 'Buffer' | 'null' | 'undefined' | 'unknown' }
  /** The id of a store. */
  | { kind: 'number'; of: 'store' }
  | { kind: 'literal'; value: string | number | boolean }
  | { kind: 'array'; of: Shape }
  | { kind: 'tuple'; of: readonly Shape[] }
  | { kind: 'record'; of: Shape }
  | { kind: 'object'; fields: readonly Field[] }
  | { kind: 'union'; of: readonly Shape[] }
  /** `Queries`, `Db` or `Tx`: a statement can be sent through it. */
  | { kind: 'queries' }
  /** `Deletable`: rows that a cleanup job deletes. */
  | { kind: 'deletable' }
  /** `Snapshot`: what an event keeps of its subject. */
  | { kind: 'snapshot' }
  /** A piece of SQL. */
  | { kind: 'fragment' }
  | { kind: 'function' }

export type Field = { name: string; isOptional: boolean; shape: Shape }

/** The alternatives of a union; any other shape is its own only alternative. */
export const alternativesOf = (shape: Shape): readonly Shape[] => (shape.kind === 'union' ? shape.of : [shape])
