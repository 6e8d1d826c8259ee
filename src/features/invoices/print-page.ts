import { hash } from 'node:crypto'
import { escapeHtml } from '../../core/text.ts'

const style = `
@page { size: A4; margin: 15mm }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 190mm; padding: 8mm; color: #1c1b1a; background: #fff;
  font: 10.5pt/1.45 system-ui, 'Noto Sans', 'Noto Sans Devanagari', sans-serif }
h1 { margin: 0 0 4mm; font-size: 18pt }
h2 { margin: 0 0 1mm; font-size: 9pt; color: #625d57 }
p { margin: 0 }
.head, .parties { display: flex; justify-content: space-between; gap: 8mm; margin-bottom: 7mm }
.parties > div { flex: 1; overflow-wrap: anywhere }
dl { display: grid; grid-template-columns: auto auto; gap: 0 4mm; margin: 0 }
dt { color: #625d57 }
dd { margin: 0; text-align: right; overflow-wrap: anywhere }
table { width: 100%; border-collapse: collapse; margin-bottom: 6mm }
thead { display: table-header-group }
tr { break-inside: avoid }
th { text-align: left; font-size: 9pt; color: #625d57; border-bottom: 1px solid #1c1b1a }
th, td { padding: 1.5mm 2mm 1.5mm 0; vertical-align: top; overflow-wrap: anywhere }
td { border-bottom: 1px solid #d9d5cf }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }
.sums { margin-left: auto; width: 50%; break-inside: avoid }
.sums tr:last-child td { font-weight: 700; border-bottom: 0 }
section + section { break-before: page; margin-top: 12mm }
.quiet { color: #625d57; font-size: 9pt }
@media print { body { padding: 0; max-width: none } }
`

/** Nothing is loaded, nothing runs, and only this style counts. */
export const printPageHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
}

/** A part of a page that is safe. Only `html` makes one, and escapes every value that is none. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Value = string | number | Html | readonly Html[]

const toText = (value: Value): string => {
  if (value instanceof Html) return value.text
  return typeof value === 'object' ? value.map(({ text }) => text).join('') : escapeHtml(String(value))
}

export const html = (strings: TemplateStringsArray, ...values: Value[]) =>
  new Html(strings.reduce((joined, part, i) => `${joined}${toText(values[i - 1] ?? '')}${part}`))

export const printPage = (language: string, title: string, body: Html): string =>
  html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${new Html(style)}</style>
</head>
<body>
${body}
</body>
</html>
`.text
