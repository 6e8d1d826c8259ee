import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Parses the documents for tests. */
export const root = fileURLToPath(new URL('../', import.meta.url))
export const read = (path: string) => readFileSync(join(root, path), 'utf8')
export const documents = globSync('{*.md,docs/**/*.md}', { cwd: root }).sort()

export type Block = { document: string; info: string; text: string; next: Block | undefined }

/** The fenced blocks of a document, each with the one after it. */
export const blocksOf = (document: string): Block[] => {
  const blocks: Block[] = []
  for (const [, info = '', text = ''] of read(document).matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)) {
    const block: Block = { document, info, text, next: undefined }
    const last = blocks.at(-1)
    if (last !== undefined) last.next = block
    blocks.push(block)
  }
  return blocks
}

export const squeeze = (text: string) => text.replaceAll(/\s+/g, '')

/** Ignores white space; `…` matches anything. */
export const assertShows = (output: string, shown: string, where: string) => {
  let rest = squeeze(output)
  const pieces = squeeze(shown).split('…')
  for (const [i, piece] of pieces.entries()) {
    const isLast = i === pieces.length - 1
    const at = isLast && i > 0 ? (rest.endsWith(piece) ? rest.length - piece.length : -1) : rest.indexOf(piece)
    const fits = at >= 0 && (i > 0 || at === 0) && (pieces.length > 1 || rest === piece)
    assert.ok(fits, `${where}\nshows   ${piece}\nbut got ${rest.slice(0, 2000)}\nin\n${output}`)
    rest = rest.slice(at + piece.length)
  }
}

/** Links and images in the prose of a document, without those in its code. */
export const linksOf = (document: string) => {
  const prose = read(document)
    .replaceAll(/^```[\s\S]*?^```$/gm, '')
    .replaceAll(/`[^`\n]*`/g, '')
  return [...prose.matchAll(/\]\(([^)\s]+)\)|<img src="([^"]+)"/g)].map(([, link, image]) => link ?? image ?? '')
}

/** The anchors that GitHub makes from headings. */
export const anchorsOf = (file: string) =>
  [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\- ]/gu, '')
      .replaceAll(' ', '-'),
  )
