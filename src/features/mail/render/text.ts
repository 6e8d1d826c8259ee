import type { Block, Letterhead, MailContent } from './blocks.ts'

const lineLength = 72

/** The plain text of a message, for people and programs that do not show HTML. */
export const renderText = (content: MailContent, letterhead: Letterhead): string => {
  const parts = content.blocks.map(renderBlock).filter((part) => part !== '')
  const footer = [
    '-- ',
    letterhead.storeName,
    letterhead.storeUrl,
    ...letterhead.contactLines,
    '',
    ...wrap(content.reason),
  ]
  return `${[...parts, footer.join('\n')].join('\n\n')}\n`
}

const renderBlock = (block: Block): string => {
  switch (block.kind) {
    case 'heading':
      return `${block.text}\n${'='.repeat(Math.min(lineLength, Math.max(3, Array.from(block.text).length)))}`
    case 'paragraph':
      return wrap(block.text).join('\n')
    case 'button':
      // On its own line, so that no programme breaks the link.
      return `${block.label}:\n${block.url}`
    case 'copyLink':
      return ''
    case 'code':
      return `    ${block.text}`
    case 'facts':
      return block.rows.map(({ label, value, url }) => `${label}: ${value}${url ? `\n${url}` : ''}`).join('\n')
    case 'items':
      return [
        ...block.rows.flatMap(({ name, detail, amount }) => [
          name,
          `    ${[detail, amount].filter(Boolean).join(' = ')}`,
        ]),
        ...(block.totals.length === 0 ? [] : ['-'.repeat(40)]),
        ...block.totals.map(({ label, amount }) => `${label}: ${amount}`),
      ].join('\n')
  }
}

/** Breaks a paragraph at spaces. A word that is longer than a line, such as a link, stays whole. */
const wrap = (text: string): string[] => {
  const lines: string[] = []
  for (const paragraph of text.split('\n')) {
    let line = ''
    for (const word of paragraph.split(' ')) {
      if (line !== '' && line.length + 1 + word.length > lineLength) {
        lines.push(line)
        line = word
      } else line = line === '' ? word : `${line} ${word}`
    }
    lines.push(line)
  }
  return lines
}
