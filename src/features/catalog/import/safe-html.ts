import sanitize from 'sanitize-html'

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
export const makeSafeHtml = (text: string) => (/<(?=[a-z!/?]|$)/i.test(text) ? sanitize(text, rules) : text)

/** The words of a description, for an index or a summary. */
export const plainText = (html: string) => html.replaceAll(/<[^<>]*>|&(?:amp|lt|gt|quot);/g, ' ')
