import { dirname, join } from 'node:path/posix'
import { Marked, type Tokens } from 'marked'
import { escapeHtml } from '../core/text.ts'

/** `title` is escaped HTML. */
export type Heading = { id: string; title: string; depth: number }
export type Rendered = { title: string; html: string; headings: Heading[] }

/** `file`: the path in docs/, against which links are resolved. `knows`: whether a page exists. */
export type LinkBase = { file: string; knows: (page: string) => boolean }

/**
 * Renders a page of docs/ as HTML. HTML in the source is escaped, so a page cannot contain scripts or styles; the content
 * security policy would block them too.
 */
export const renderMarkdown = (markdown: string, base: LinkBase): Rendered => {
  const headings: Heading[] = []
  const marked = new Marked({
    async: false,
    renderer: {
      html: ({ text }) => escapeHtml(text),
      image: ({ text }) => escapeHtml(text),
      heading({ tokens, depth, text }) {
        const title = escapeHtml(this.parser.parseInline(tokens, this.parser.textRenderer))
        const id = newId(text, headings)
        headings.push({ id, title, depth })
        const link = depth === 1 ? '' : ` <a class="anchor" href="#${id}" aria-label="Link to “${title}”">#</a>`
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}${link}</h${depth}>\n`
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens)
        const target = resolveLink(href, base)
        return target === null
          ? `<span class="elsewhere">${text}</span>`
          : `<a href="${escapeHtml(target)}">${text}</a>`
      },
      // Without the class, short names such as --options would wrap after their dashes.
      codespan: ({ text }) => `<code${text.length <= 24 ? ' class="short"' : ''}>${escapeHtml(text)}</code>`,
      // Focusable, so that it can be scrolled with the keyboard.
      code: ({ text, lang = '' }) => {
        const [name = ''] = lang.split(' ')
        return `<pre tabindex="0"${name === '' ? '' : ` class="${escapeHtml(name)}"`}><code>${escapeHtml(text)}\n</code></pre>\n`
      },
      table(token: Tokens.Table) {
        const plain = ({ tokens }: Tokens.TableCell) =>
          escapeHtml(this.parser.parseInline(tokens, this.parser.textRenderer))
        // On narrow screens the cells are stacked, and each shows the label of its column.
        const labels = token.header.map((one, i) => (i === 0 || one.text === '' ? '' : ` data-label="${plain(one)}"`))
        const cell = ({ tokens }: Tokens.TableCell, i: number) =>
          `<td role="cell"${labels[i]}>${this.parser.parseInline(tokens)}</td>`
        const body = token.rows.map((cells) => `<tr role="row">${cells.map(cell).join('')}</tr>`).join('\n')
        // An empty heading would mean nothing to a screen reader.
        const heading = ({ tokens, text }: Tokens.TableCell) =>
          text === '' ? '<td role="cell"></td>' : `<th role="columnheader">${this.parser.parseInline(tokens)}</th>`
        const head = `<tr role="row">${token.header.map(heading).join('')}</tr>`
        // Browsers drop the implicit roles when CSS stacks the cells, so they are explicit.
        return `<div class="table" tabindex="0"><table role="table"><thead role="rowgroup">${head}</thead><tbody role="rowgroup">${body}</tbody></table></div>\n`
      },
    },
  })
  const html = marked.parse(markdown, { async: false })
  return { title: headings[0]?.title ?? base.file, html, headings }
}

/** The same ids that GitHub makes from headings, so that links work in both. */
const newId = (text: string, headings: readonly Heading[]) => {
  const plain = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-')
  const isTaken = (id: string) => headings.some((heading) => heading.id === id)
  let id = plain
  for (let n = 1; isTaken(id); n++) id = `${plain}-${n}`
  return id
}

/** Null for a file that only the repository has. */
export const resolveLink = (href: string, { file, knows }: LinkBase): string | null => {
  if (/^(https?:|mailto:|#)/.test(href)) return href
  const [path = '', anchor] = href.split('#')
  const target = join(dirname(file), path)
  if (target === '../openapi.json') return '/openapi.json'
  const page = target.replace(/\.md$/, '')
  if (!target.endsWith('.md') || !knows(page)) return null
  return `/docs/guide/${page}${anchor === undefined ? '' : `#${anchor}`}`
}
