/** A value as a cell: nothing for undefined, JSON for lists and objects, quoted where the table needs it. */
export const csvCell = (value: unknown) => {
  if (value === undefined) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
