import { type Fields, toFields } from '../core/fields.ts'

/** Readers of a provider's JSON. They never throw: a field of another type reads as missing. */

/** An empty text for everything but a text or a number. */
export const readText = (fields: Fields, name: string): string => {
  const value = fields[name]
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}

export const readTextOrNull = (fields: Fields, name: string): string | null => readText(fields, name) || null

/** Some providers send an amount as a text. */
export const readDecimal = (fields: Fields, name: string): number | null => {
  const value = fields[name]
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  return typeof value === 'string' && /^\d{1,15}(\.\d{1,6})?$/.test(value) ? Number(value) : null
}

export const fieldsAt = (fields: Fields, ...path: readonly string[]): Fields =>
  path.reduce((inner, name) => toFields(inner[name]), fields)

export const readList = (fields: Fields, name: string): Fields[] => {
  const value = fields[name]
  return Array.isArray(value) ? value.map(toFields) : []
}

/** A unix time in seconds. */
export const readTime = (fields: Fields, name: string): Date | null => {
  const seconds = readDecimal(fields, name)
  return seconds === null ? null : new Date(seconds * 1000)
}
