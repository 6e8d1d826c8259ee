import type { FastifyInstance } from 'fastify'
import { fail } from '../core/errors.ts'
import { toError } from '../core/thrown.ts'

export const maxBodyBytes = 1024 * 1024
const maxDepth = 32

/** Reads JSON bodies. Empty is fine (a schema decides whether one is needed); anything else that is not JSON is 400. */
export const acceptJson = (server: FastifyInstance) => {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit: maxBodyBytes },
    (_request, body, done) => {
      try {
        done(null, body === '' ? undefined : parseJson(String(body)))
      } catch (error) {
        done(toError(error))
      }
    },
  )
}

const parseJson = (text: string): unknown => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw fail('BAD_REQUEST', 'The body is not valid JSON.', { cause: error })
  }
  inspect(value, 0)
  return value
}

/**
 * Refuses what JSON allows and we could not keep as it is: text that PostgreSQL cannot hold, names that reach an
 * object's prototype, and nesting that no request of ours needs.
 */
const inspect = (value: unknown, depth: number): void => {
  if (typeof value === 'string') inspectText(value)
  if (typeof value !== 'object' || value === null) return
  if (depth >= maxDepth) throw fail('BAD_REQUEST', `The body is nested more than ${maxDepth} levels deep.`)
  if (Array.isArray(value)) {
    for (const item of value) inspect(item, depth + 1)
    return
  }
  for (const [name, inner] of Object.entries(value)) {
    if (name === '__proto__') throw fail('BAD_REQUEST', 'The body has a field named "__proto__", which is not allowed.')
    inspectText(name)
    inspect(inner, depth + 1)
  }
}

export const inspectText = (text: string) => {
  if (text.includes('\0') || !text.isWellFormed()) {
    throw fail('BAD_REQUEST', 'Text may hold neither NUL characters nor lone surrogates.')
  }
}
