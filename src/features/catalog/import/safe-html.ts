import type sanitize from 'sanitize-html'
import { loadLater } from '../../../core/later.ts'

const sanitizer = loadLater<typeof sanitize>('sanitize-html')

/**
 * Allows formatting, lists, tables, links and images. No scripts, no styles, and no names or ids, with which a text
 * could imitate parts of the page.
 */
const rules: sanitize.IOptions = {
  allowedTags: [
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'div', 'span', 'br', 'hr', 'blockquote', 'pre', 'code'],
    ...['b', 'strong', 'i', 'em', 'u', 's', 'del', 'ins', 'small', 'sub', 'sup', 'mark', 'abbr'],
    ...['ul', 'ol', 'li', 'dl', 'dt', 'dd', 'a', 'img', 'figure', 'figcaption'],
    ...['table', 'caption', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td'],
  ],
  allowedAttributes: {
    a: ['href', 'title', 'rel'],
    img: ['src', 'alt', 'title', 'width', 'height'],
    th: ['colspan', 'rowspan', 'scope'],
    td: ['colspan', 'rowspan'],
    abbr: ['title'],
  },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowedSchemesByTag: { img: ['https'] },
  allowProtocolRelative: false,
  transformTags: {
    a: (tagName, attributes) => ({ tagName, attribs: { ...attributes, rel: 'noopener noreferrer' } }),
    // Older shop pages have protocol-relative URLs (`//host/image`).
    img: (tagName, { src = '', ...rest }) => ({ tagName, attribs: { ...rest, src: src.replace(/^\/\//, 'https://') } }),
  },
  exclusiveFilter: ({ tag, attribs }) => tag === 'img' && !attribs.src,
}

/**
 * Sanitises a text so that a storefront can insert it into a page. Text without anything that a browser parses as a tag
 * is returned unchanged, and so is sanitised text, so that saving it again changes nothing.
 */
export const makeSafeHtml = (text: string) => (/<(?=[a-z!/?]|$)/i.test(text) ? sanitizer()(text, rules) : text)

/** Deeper than anything that a person writes. */
export const maxHtmlDepth = 100

class TooDeep extends Error {}

/**
 * The parser compares each closing tag with all that are open, so a text of a hundred thousand bytes that only opens tags
 * would keep everyone else waiting for seconds. Such a text is refused before it is made safe.
 */
export const isNestedTooDeep = (text: string): boolean => {
  if (text.split('<', maxHtmlDepth + 2).length <= maxHtmlDepth + 1) return false
  let depth = 0
  const onOpenTag = () => {
    depth++
    if (depth > maxHtmlDepth) throw new TooDeep()
  }
  const onCloseTag = () => {
    depth--
  }
  try {
    sanitizer()(text, { ...rules, onOpenTag, onCloseTag })
    return false
  } catch (error) {
    if (error instanceof TooDeep) return true
    throw error
  }
}

/** The words of a description, for an index or a summary. */
export const plainText = (html: string) => html.replaceAll(/<[^<>]*>|&(?:amp|lt|gt|quot);/g, ' ')
