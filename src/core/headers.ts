/** Node returns an array for the few headers that may be repeated, and a string for all others. */
export type HeaderValues = Readonly<Record<string, string | string[] | undefined>>

export const readHeader = (headers: HeaderValues, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === 'string' ? value : value?.join(', ')
}
