import type { FastifyInstance } from 'fastify'
import { fail } from '../core/errors.ts'
import { toError } from '../core/thrown.ts'

export const maxBodyBytes = 1024 * 1024
const maxDepth = 32

/** Parses JSON bodies. An empty body is allowed (the schema decides whether one is required); invalid JSON is 400. */
export const acceptJson = (server: FastifyInstance) => {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit: maxBodyBytes },
    (_request, body, done) => {
      try {
        done(null, parseJson(String(body)))
      } catch (error) {
        done(toError(error))
      }
    },
  )
}

/** An unparsed body. `isJson`: the content type is JSON. */
export type RawBody = { bytes: Buffer; isJson: boolean }

/** Accepts bodies of any type, within the size limit, without parsing them. `parseRawBody` does that later. */
export const acceptRawBodies = (server: FastifyInstance) => {
  server.removeAllContentTypeParsers()
  for (const type of ['application/json', '*']) {
    const isJson = type === 'application/json'
    server.addContentTypeParser(type, { parseAs: 'buffer', bodyLimit: maxBodyBytes }, (_request, body, done) =>
      done(null, { bytes: body as Buffer, isJson } satisfies RawBody),
    )
  }
}

export const parseRawBody = ({ bytes, isJson }: RawBody): unknown => {
  if (!isJson) throw fail('UNSUPPORTED_MEDIA_TYPE')
  return parseJson(bytes.toString())
}

const parseJson = (text: string): unknown => {
  if (text === '') return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw fail('BAD_REQUEST', 'The body is not valid JSON.', { cause: error })
  }
  inspectValue(value)
  return value
}

/**
 * Refuses valid JSON that the service cannot store safely: text that PostgreSQL cannot hold, field names that reach an
 * object's prototype, and nesting that no endpoint needs.
 */
export const inspectValue = (value: unknown, depth = 0): void => {
  if (typeof value === 'string') inspectText(value)
  if (typeof value !== 'object' || value === null) return
  if (depth >= maxDepth) throw fail('BAD_REQUEST', `The body is nested more than ${maxDepth} levels deep.`)
  if (Array.isArray(value)) {
    for (const item of value) inspectValue(item, depth + 1)
    return
  }
  for (const [name, inner] of Object.entries(value)) {
    if (name === '__proto__') throw fail('BAD_REQUEST', 'The body has a field named "__proto__", which is not allowed.')
    inspectText(name)
    inspectValue(inner, depth + 1)
  }
}

export const inspectText = (text: string) => {
  if (text.includes('\0') || !text.isWellFormed()) {
    throw fail('BAD_REQUEST', 'Text must not contain NUL characters or lone surrogates.')
  }
}
