declare module 'pg/lib/utils.js' {
  /** A value as text that PostgreSQL reads, or as bytes. */
  export const prepareValue: (value: unknown) => unknown
}
