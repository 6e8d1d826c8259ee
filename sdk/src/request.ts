/** The part of an operation that decides how it is sent. Flags are `true` or absent. */
export type HttpOperation = {
  /** `GET` by default, which keeps the table small. */
  readonly method?: 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly query?: true
  readonly body?: true
  /** Takes an Idempotency-Key. */
  readonly once?: true
  readonly paged?: true
  /** Answers with a `location` instead of a body. */
  readonly redirect?: true
}

export type Input = Record<string, unknown>

export type Request = { address: string; body: string | FormData | undefined }

export type Encode = (fields: Input) => string | FormData

/** Puts the fields of an input into the path, and the query or the body. Plain loops, because every call runs this. */
export const makeRequest = (
  url: string,
  { path, body }: HttpOperation,
  input: Input,
  encode: Encode = JSON.stringify,
): Request => {
  const address = url + (path.includes('{') ? fillPath(path, input) : path)
  if (!body) return { address: addQuery(address, path, input), body: undefined }
  const rest: Input = {}
  for (const name in input) if (!isInPath(path, name)) rest[name] = input[name]
  return { address, body: encode(rest) }
}

const isInPath = (path: string, name: string) => path.includes(`{${name}}`)

const addQuery = (address: string, path: string, input: Input) => {
  let query = ''
  for (const name in input) {
    const value = input[name]
    if (value === undefined || value === null || isInPath(path, name)) continue
    query += `${query === '' ? '?' : '&'}${name}=${encodeURIComponent(String(value))}`
  }
  return address + query
}

const fillPath = (path: string, input: Input) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => pathSegment(name, input[name]))

/** An empty id or a dot would silently change the path. */
const pathSegment = (name: string, value: unknown) => {
  const text = String(value ?? '')
  if (text === '' || text === '.' || text === '..') throw new TypeError(`${name} must be an id, not "${text}".`)
  return encodeURIComponent(text)
}
