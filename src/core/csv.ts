/** A value as a CSV cell: empty for undefined, JSON for lists and objects, quoted if needed. */
export const csvCell = (value: unknown) => {
  if (value === undefined) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A line for a spreadsheet. A text that the spreadsheet would run gets an apostrophe in front, which it does not show. */
export const csvLine = (cells: readonly unknown[]) => `${cells.map((cell) => csvCell(makeSafe(cell))).join(',')}\r\n`

/** Spreadsheets also read the wide forms of these characters, which keyboards for Chinese and Japanese write. */
const makeSafe = (cell: unknown) => {
  if (cell === null) return undefined
  return typeof cell === 'string' && /^[=+\-@\t\r\n＝＋－＠]/.test(cell) ? `'${cell}` : cell
}

/** The same for a file that is imported again: `readSafeText` takes exactly this apostrophe off. */
export const writeSafeText = (text: string) => (/^'*[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text)

export const readSafeText = (text: string) => text.replace(/^'(?='*[=+\-@\t\r\n＝＋－＠])/, '')
