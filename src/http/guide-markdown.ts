import { dirname, join } from 'node:path/posix'
import { Marked, type Tokens } from 'marked'

/** `title` is fit to stand in a page. */
export type Heading = { id: string; title: string; depth: number }
export type Rendered = { title: string; html: string; headings: Heading[] }

/** `file` is the text's name in docs/, from which its links start; `knows` says whether a page is there to be linked. */
export type LinkBase = { file: string; knows: (page: string) => boolean }

/**
 * A page of docs/ as HTML. Whatever looks like HTML in it is shown as it was written, so a page can bring no script and
 * no style, and the policy of the page would refuse them.
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
      // Short names, such as options, would otherwise break after their dashes.
      codespan: ({ text }) => `<code${text.length <= 24 ? ' class="short"' : ''}>${escapeHtml(text)}</code>`,
      // What scrolls sideways can be reached with the keyboard.
      code: ({ text, lang = '' }) => {
        const [name = ''] = lang.split(' ')
        return `<pre tabindex="0"${name === '' ? '' : ` class="${escapeHtml(name)}"`}><code>${escapeHtml(text)}\n</code></pre>\n`
      },
      table(token: Tokens.Table) {
        const plain = ({ tokens }: Tokens.TableCell) =>
          escapeHtml(this.parser.parseInline(tokens, this.parser.textRenderer))
        // Where a screen is too narrow for columns, each cell says which one it is of.
        const labels = token.header.map((one, i) => (i === 0 || one.text === '' ? '' : ` data-label="${plain(one)}"`))
        const cell = ({ tokens }: Tokens.TableCell, i: number) =>
          `<td role="cell"${labels[i]}>${this.parser.parseInline(tokens)}</td>`
        const body = token.rows.map((cells) => `<tr role="row">${cells.map(cell).join('')}</tr>`).join('\n')
        // A heading without words would tell a listener nothing.
        const heading = ({ tokens, text }: Tokens.TableCell) =>
          text === '' ? '<td role="cell"></td>' : `<th role="columnheader">${this.parser.parseInline(tokens)}</th>`
        const head = `<tr role="row">${token.header.map(heading).join('')}</tr>`
        // The roles are those of the elements, which browsers forget when a style stacks the cells.
        return `<div class="table" tabindex="0"><table role="table"><thead role="rowgroup">${head}</thead><tbody role="rowgroup">${body}</tbody></table></div>\n`
      },
    },
  })
  const html = marked.parse(markdown, { async: false })
  return { title: headings[0]?.title ?? base.file, html, headings }
}

/** As forges make it from a heading, so that a link works in both places. */
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

/** Null for what only a checkout has. */
export const resolveLink = (href: string, { file, knows }: LinkBase): string | null => {
  if (/^(https?:|mailto:|#)/.test(href)) return href
  const [path = '', anchor] = href.split('#')
  const target = join(dirname(file), path)
  if (target === '../openapi.json') return '/openapi.json'
  const page = target.replace(/\.md$/, '')
  if (!target.endsWith('.md') || !knows(page)) return null
  return `/docs/guide/${page}${anchor === undefined ? '' : `#${anchor}`}`
}

export const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
