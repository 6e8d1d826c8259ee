import sanitize from 'sanitize-html'

/**
 * Formatting, lists, tables, links and pictures. Nothing that runs, nothing that changes how the page around it looks,
 * and no names or ids, by which a text could pose as a part of the page.
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
    // Older shop pages wrote `//host/picture`, which is meant to be https today.
    img: (tagName, { src = '', ...rest }) => ({ tagName, attribs: { ...rest, src: src.replace(/^\/\//, 'https://') } }),
  },
  exclusiveFilter: ({ tag, attribs }) => tag === 'img' && !attribs.src,
}

/**
 * A text that a storefront can put into a page. Plain text stays as it is: only what a browser would take for a tag
 * makes a text HTML. Safe text comes back unchanged, so that saving it again changes nothing.
 */
export const makeSafeHtml = (text: string) => (/<(?=[a-z!/?]|$)/i.test(text) ? sanitize(text, rules) : text)

/** The words of a description, for an index or a summary. */
export const plainText = (html: string) => html.replaceAll(/<[^<>]*>|&(?:amp|lt|gt|quot);/g, ' ')
