/** A value that exists by construction. Its absence is a fault of our own code, so it is an error and not an answer. */
export const mustExist = <Value>(value: Value, name: string): NonNullable<Value> => {
  if (value === undefined || value === null) throw new Error(`${name} must exist, and does not`)
  return value
}
