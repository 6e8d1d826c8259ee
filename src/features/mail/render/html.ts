import { escapeHtml } from '../../../core/text.ts'
import type { Block, Letterhead, MailContent } from './blocks.ts'
import { darkBackground, lightBackground, makePalette, type Palette } from './colors.ts'

const fonts = "-apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Noto Sans Devanagari', Helvetica, Arial, sans-serif"
const ink = '#1d1d1f'
const inkDark = '#f2f2f4'
const muted = '#5b5b63'
const mutedDark = '#b4b4bd'
const line = '#dcdce1'
const lineDark = '#3d3d44'
const page = '#f4f4f6'
const pageDark = '#111113'

/**
 * The HTML of a message. Tables and inline styles, because mail programs ignore most of CSS. The `style` element is for
 * those that know more: dark colours and narrow screens. Every text passes `escapeHtml`.
 */
export const renderHtml = (content: MailContent, letterhead: Letterhead): string => {
  const palette = makePalette(letterhead.brandColor)
  const { language, storeName } = letterhead
  return `<!doctype html>
<html lang="${escapeHtml(language)}" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title>${escapeHtml(content.subject)}</title>
<style>${styleOf(palette)}</style>
</head>
<body class="page" style="margin:0;padding:0;background:${page};color:${ink};font-family:${fonts};-webkit-text-size-adjust:100%">
<div style="display:none;max-height:0;overflow:hidden" aria-hidden="true">${escapeHtml(content.preview)}</div>
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:${page}"><tr><td align="center" class="outer" style="padding:24px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:600px">
<tr><td align="left" style="padding:0 4px 16px">${renderBrand(letterhead)}</td></tr>
<tr><td class="card" style="background:${lightBackground};border:1px solid ${line};border-radius:12px;padding:32px">
<div role="article" aria-label="${escapeHtml(content.subject)}" lang="${escapeHtml(language)}">
${content.blocks.map((block) => renderBlock(block, palette)).join('\n')}
</div>
</td></tr>
<tr><td class="muted" style="padding:20px 4px 0;font-size:13px;line-height:1.6;color:${muted}">${renderFooter(content, storeName, letterhead)}</td></tr>
</table>
</td></tr></table>
</body>
</html>
`
}

const styleOf = ({ link, linkDark }: Palette) => `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
a { color: ${link}; }
@media (max-width: 480px) {
  .card { padding: 24px 18px !important; }
  .outer { padding: 16px 8px !important; }
  .action { width: 100% !important; }
  .button a { display: block !important; text-align: center !important; }
}
@media (prefers-color-scheme: dark) {
  .page { background: ${pageDark} !important; color: ${inkDark} !important; }
  .card { background: ${darkBackground} !important; border-color: ${lineDark} !important; }
  .ink { color: ${inkDark} !important; }
  .muted { color: ${mutedDark} !important; }
  .line { border-color: ${lineDark} !important; }
  .link, .muted a { color: ${linkDark} !important; }
  .button a { border-color: ${linkDark} !important; }
  .code { background: ${pageDark} !important; color: ${inkDark} !important; border-color: ${lineDark} !important; }
}
`

const renderBrand = ({ storeName, storeUrl, logoUrl }: Letterhead) => {
  const name = escapeHtml(storeName)
  const brand =
    logoUrl === ''
      ? name
      : `<img src="${escapeHtml(logoUrl)}" alt="${name}" height="40" style="display:block;height:40px;max-width:240px;border:0">`
  return `<a href="${escapeHtml(storeUrl)}" class="ink" style="color:${ink};text-decoration:none;font-size:20px;font-weight:700">${brand}</a>`
}

const renderFooter = ({ reason }: MailContent, storeName: string, { storeUrl, contactLines }: Letterhead) => {
  const name = `<a href="${escapeHtml(storeUrl)}" class="link" style="color:${muted}">${escapeHtml(storeName)}</a>`
  return [name, ...contactLines.map(escapeHtml), escapeHtml(reason)].join('<br>')
}

const renderBlock = (block: Block, palette: Palette): string => {
  switch (block.kind) {
    case 'heading':
      return `<h1 class="ink" style="margin:0 0 16px;font-size:24px;line-height:1.3;color:${ink}">${escapeHtml(block.text)}</h1>`
    case 'paragraph': {
      const [name, color] = block.isMuted ? ['muted', muted] : ['ink', ink]
      const size = block.isMuted ? 14 : 16
      return `<p class="${name}" style="margin:0 0 16px;font-size:${size}px;line-height:1.6;color:${color};overflow-wrap:anywhere">${breakLines(block.text)}</p>`
    }
    case 'button':
      return renderButton(block, palette)
    case 'copyLink':
      return `<p class="muted" style="margin:0;font-size:14px;line-height:1.6;color:${muted};overflow-wrap:anywhere;word-break:break-word">${escapeHtml(block.text)}<br><a href="${escapeHtml(block.url)}" class="link" style="color:${palette.link}">${escapeHtml(block.url)}</a></p>`
    case 'code':
      // Selected with one press, and read digit by digit by a screen reader.
      return `<p class="code" style="margin:0 0 20px;padding:16px;border:1px solid ${line};border-radius:8px;background:${page};color:${ink};font-size:32px;line-height:1.2;font-weight:700;letter-spacing:6px;text-align:center;font-family:ui-monospace,Menlo,Consolas,monospace;user-select:all">${escapeHtml(block.text)}</p>`
    case 'facts':
      return renderFacts(block.rows, palette)
    case 'items':
      return renderItems(block)
  }
}

/** The padding is on the link, so that all of the button can be pressed; Outlook shows its colour from the cell. */
const renderButton = ({ label, url }: { label: string; url: string }, { button, onButton }: Palette) =>
  `<table role="presentation" class="action" cellpadding="0" cellspacing="0" border="0" style="margin:8px 0 24px"><tr><td class="button" bgcolor="${button}" style="border-radius:8px;background:${button}"><a href="${escapeHtml(url)}" style="display:inline-block;padding:14px 24px;border:1px solid ${button};border-radius:8px;background:${button};color:${onButton};font-size:16px;font-weight:700;text-decoration:none">${escapeHtml(label)}</a></td></tr></table>`

const renderFacts = (rows: Extract<Block, { kind: 'facts' }>['rows'], { link }: Palette) => {
  const cells = rows.map(({ label, value, url }) => {
    const shown = url
      ? `<a href="${escapeHtml(url)}" class="link" style="color:${link}">${breakLines(value)}</a>`
      : breakLines(value)
    return `<tr><th scope="row" align="left" class="muted" style="padding:6px 16px 6px 0;font-size:14px;line-height:1.5;font-weight:400;color:${muted};vertical-align:top">${escapeHtml(label)}</th><td class="ink" style="padding:6px 0;font-size:15px;line-height:1.5;color:${ink};vertical-align:top;overflow-wrap:anywhere">${shown}</td></tr>`
  })
  return `<table cellpadding="0" cellspacing="0" border="0" style="margin:0 0 20px">${cells.join('')}</table>`
}

const renderItems = ({ labels, rows, totals }: Extract<Block, { kind: 'items' }>) => {
  const head = (text: string, align: string) =>
    `<th scope="col" align="${align}" class="muted line" style="padding:0 0 8px;border-bottom:1px solid ${line};font-size:13px;font-weight:400;color:${muted}">${escapeHtml(text)}</th>`
  const items = rows.map(
    ({ name, detail, amount }) =>
      `<tr><td class="ink line" style="padding:12px 12px 12px 0;border-bottom:1px solid ${line};font-size:15px;line-height:1.5;color:${ink};vertical-align:top;overflow-wrap:anywhere">${escapeHtml(name)}${detail === '' ? '' : `<br><span class="muted" style="font-size:14px;color:${muted}">${escapeHtml(detail)}</span>`}</td><td align="right" class="ink line" style="padding:12px 0;border-bottom:1px solid ${line};font-size:15px;line-height:1.5;color:${ink};vertical-align:top;white-space:nowrap">${escapeHtml(amount)}</td></tr>`,
  )
  const sums = totals.map(({ label, amount, isTotal }) => {
    const style = `font-size:${isTotal ? 17 : 15}px;line-height:1.5;font-weight:${isTotal ? 700 : 400};color:${ink}`
    return `<tr><th scope="row" align="left" class="ink" style="padding:8px 12px 0 0;${style}">${escapeHtml(label)}</th><td align="right" class="ink" style="padding:8px 0 0;white-space:nowrap;${style}">${escapeHtml(amount)}</td></tr>`
  })
  return `<table width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:8px 0 24px"><tr>${head(labels.item, 'left')}${head(labels.amount, 'right')}</tr>${items.join('')}${sums.join('')}</table>`
}

const breakLines = (text: string) => escapeHtml(text).replaceAll('\n', '<br>')
