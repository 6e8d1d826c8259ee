/** Node returns an array for the few headers that may be repeated, and a string for all others. */
export type HeaderValues = Readonly<Record<string, string | string[] | undefined>>

export const readHeader = (headers: HeaderValues, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === 'string' ? value : value?.join(', ')
}

export type BasicCredentials = { username: string; password: string }

/** Null for anything but well-formed basic credentials. */
export const readBasicCredentials = (header: string | undefined): BasicCredentials | null => {
  const [, encoded] = /^basic +([A-Za-z0-9+/_-]+={0,2})$/i.exec(header ?? '') ?? []
  if (encoded === undefined) return null
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 0 || text.includes('\0') || !text.isWellFormed()) return null
  return { username: text.slice(0, colon), password: text.slice(colon + 1) }
}
