import { readFileSync as read } from 'node:fs'

/** Two casts as the linter sees them, and much that only looks as one. */
const known: unknown = read(import.meta.filename, 'utf8')

export const first = known as string
export const second = ['text as string', known as number]
export const none = ['as'] as const
export const neither = { text: 'known as string' } satisfies { text: string }
