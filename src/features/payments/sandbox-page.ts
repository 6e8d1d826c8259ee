import { hash } from 'node:crypto'
import { toWire } from '../../core/money.ts'
import { escapeHtml } from '../../core/text.ts'
import { returnOrigin } from '../access/storefront-url.ts'
import type { SandboxPayment } from './sandbox.ts'

const style = `
:root { color-scheme: light dark; --ink: #1c1b1a; --paper: #fff; --ground: #f3f1ee; --line: #d9d5cf; --quiet: #625d57;
  --good: #17633a; --bad: #9b2c1f; --note: #fff4d6 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #f1eeea; --paper: #211f1d; --ground: #151413; --line: #3d3935; --quiet: #b3aca4; --good: #2e8555;
    --bad: #c0503f; --note: #3a3218 }
}
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; min-height: 100dvh; display: grid; place-items: center; padding: 1rem;
  background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif }
main { width: 100%; max-width: 26rem; background: var(--paper); border: 1px solid var(--line); border-radius: 1rem;
  padding: 1.5rem }
.note { margin: 0 0 1.25rem; padding: .5rem .75rem; border-radius: .5rem; background: var(--note); font-size: .875rem }
h1 { margin: 0; font-size: 1.125rem; overflow-wrap: anywhere }
.amount { margin: .25rem 0 0; font-size: 2rem; font-weight: 650; font-variant-numeric: tabular-nums }
.quiet { margin: .25rem 0 1.5rem; color: var(--quiet); font-size: .875rem; overflow-wrap: anywhere }
button, .button { display: block; width: 100%; min-height: 3rem; margin-top: .75rem; padding: .625rem 1rem; border: 0;
  border-radius: .625rem; font: inherit; font-weight: 600; text-align: center; text-decoration: none; cursor: pointer;
  color: #fff; background: var(--good) }
button.bad { background: var(--bad) }
button.later, .button { background: transparent; color: inherit; border: 1px solid var(--line) }
button:focus-visible, .button:focus-visible { outline: 3px solid currentColor; outline-offset: 2px }
`

/** Allows only this style and the form. `form-action` names the storefront because browsers also apply it to redirects. */
const policyFor = ({ ctx, order }: SandboxPayment) =>
  [
    "default-src 'none'",
    'img-src data:',
    `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
    `form-action 'self' ${returnOrigin(ctx.store, order.storefrontUrl)}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')

export const pageHeaders = (shown: SandboxPayment): Record<string, string> => ({
  'content-security-policy': policyFor(shown),
  'cache-control': 'no-store',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
})

/** A page without scripts: three buttons of one form. */
export const sandboxPage = (shown: SandboxPayment): string => {
  const { ctx, order, isOpen } = shown
  const back = `/payment/callback?orderId=${encodeURIComponent(order.id)}`
  const body = isOpen
    ? `<form method="post">
<button name="choice" value="success">Pay</button>
<button name="choice" value="failure" class="bad">Let it fail</button>
<button name="choice" value="later" class="later">Decide later</button>
</form>`
    : `<p>This payment is completed, closed or expired.</p>
<a class="button" href="${escapeHtml(back)}">Back to the store</a>`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Sandbox payment</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
<p class="note">This is a sandbox. No money moves, and nothing you do here costs anything.</p>
<h1>${escapeHtml(ctx.store.name)}</h1>
<p class="amount">${escapeHtml(showAmount(shown))}</p>
<p class="quiet">Order ${escapeHtml(String(order.number))}</p>
${body}
</main>
</body>
</html>
`
}

const showAmount = ({ ctx, payment }: SandboxPayment) =>
  new Intl.NumberFormat(ctx.store.locale, { style: 'currency', currency: payment.currency }).format(
    toWire(payment.amountMinor, payment.currency),
  )
