/** JavaScript can throw anything, so these read an error without trusting its type. */
export const toError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)))

export const errorMessage = (thrown: unknown): string => toError(thrown).message

/** The code of a Node or PostgreSQL error, such as ENOENT or 23505. */
export const errorCode = (thrown: unknown): string | undefined =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined

/** A system call failed, such as opening a file. */
export const isSystemError = (thrown: unknown): thrown is Error => thrown instanceof Error && 'syscall' in thrown
