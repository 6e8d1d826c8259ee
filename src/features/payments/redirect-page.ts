import { escapeHtml } from '../../core/text.ts'

/** No script, no style, nothing loaded from elsewhere. */
export const redirectPageHeaders = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
}

/** Leads on to an address without a redirect and without a script. */
export const redirectPage = (address: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="0; url=${escapeHtml(address)}">
<title>Back to the store</title>
<p><a href="${escapeHtml(address)}">Back to the store</a></p>
</html>
`
