/** Asserts that a value exists. A missing one is a bug, so it throws and becomes a 500. */
export const mustExist = <Value>(value: Value, name: string): NonNullable<Value> => {
  if (value === undefined || value === null) throw new Error(`${name} is missing`)
  return value
}
