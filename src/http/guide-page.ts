import { escapeHtml } from '../core/text.ts'
import { type GuidePage, guidePages, guideSections } from './guide-contents.ts'
import type { Rendered } from './guide-markdown.ts'

export const guidePolicy = [
  "default-src 'none'",
  "style-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** A page with the table of contents. It needs no script. */
export const showGuidePage = (page: string, { title, html, headings }: Rendered) => {
  const parts = headings.filter(({ depth }) => depth === 2)
  const here =
    parts.length < 3
      ? ''
      : `<nav class="here" aria-labelledby="here-title"><h2 id="here-title">On this page</h2><ul>
${parts.map(({ id, title }) => `<li><a href="#${id}">${title}</a></li>`).join('\n')}
</ul></nav>`
  return layOut({
    page,
    title: `${title} · Vitrine guide`,
    body: `<article>${html}${neighbours(page)}</article>`,
    here,
  })
}

/** The table of contents, with a summary of each page. */
export const showGuideContents = () => {
  const [first] = guidePages
  const body = `<article><h1>The guide to Vitrine</h1>
<p>How to build a shop on Vitrine, and how to run it. The tests of this version run the samples against a new demo store. The URLs in them are those of this service; use your own key where a sample shows only the start of one.</p>
<p><a class="begin" href="/docs/guide/${first?.page}">Start: ${first?.label}</a></p>
${guideSections
  .map(
    ({ title, pages }) => `<h2>${title}</h2>
<dl>${pages.map(({ page, label, about }) => `<dt><a href="/docs/guide/${page}">${label}</a></dt><dd>${about}</dd>`).join('\n')}</dl>`,
  )
  .join('\n')}
<h2>See also</h2>
<p>The <a href="/docs">API reference</a> describes every call and its fields. It is generated from <a href="/openapi.json">openapi.json</a>.</p></article>`
  return layOut({ page: '', title: 'Vitrine guide', body, here: '' })
}

const neighbours = (page: string) => {
  const at = guidePages.findIndex((other) => other.page === page)
  if (at < 0) return ''
  const link = (other: GuidePage | undefined, rel: string, word: string) =>
    other === undefined
      ? ''
      : `<a rel="${rel}" href="/docs/guide/${other.page}"><span>${word}</span> ${other.label}</a>`
  return `<nav class="neighbours" aria-label="Neighbouring pages">${link(guidePages[at - 1], 'prev', 'Previous:')}${link(guidePages[at + 1], 'next', 'Next:')}</nav>`
}

type Layout = { page: string; title: string; body: string; here: string }

const layOut = ({ page, title, body, here }: Layout) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/guide/style.css">
</head>
<body>
<a class="skip" href="#text">Skip to the text</a>
<header class="top">
<a class="brand" href="/docs/guide">Vitrine <span>guide</span></a>
<nav aria-label="Documentation"><a class="to-contents" href="#contents">Contents</a> <a href="/docs">API reference</a></nav>
</header>
<div class="columns">
<main id="text">${body}</main>
<aside class="beside" aria-label="Contents and parts">${here}
<nav class="contents" id="contents" aria-label="Contents of the guide">
${guideSections.map((section) => listSection(section.title, section.pages, page)).join('\n')}
</nav></aside>
</div>
</body>
</html>
`

const listSection = (title: string, pages: readonly GuidePage[], current: string) => `<p>${escapeHtml(title)}</p><ul>
${pages
  .map(
    ({ page, label }) =>
      `<li><a href="/docs/guide/${page}"${page === current ? ' aria-current="page"' : ''}>${escapeHtml(label)}</a></li>`,
  )
  .join('\n')}
</ul>`
