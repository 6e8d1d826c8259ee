/** A value as a CSV cell: empty for undefined, JSON for lists and objects, quoted if needed. */
export const csvCell = (value: unknown) => {
  if (value === undefined) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
