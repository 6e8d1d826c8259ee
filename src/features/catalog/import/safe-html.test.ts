import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isNestedTooDeep, makeSafeHtml, maxHtmlDepth } from './safe-html.ts'

test('formatting, links and images stay; scripts and styles are removed', () => {
  const table: [written: string, safe: string][] = [
    ['<p>Plain <b>bold</b></p>', '<p>Plain <b>bold</b></p>'],
    ['<p onclick="steal()" style="position:fixed" class="x" id="login">Hi</p>', '<p>Hi</p>'],
    ['<script>steal()</script><style>p{}</style>Hi<iframe src="https://a.example"></iframe>', 'Hi'],
    ['<a href="javascript:steal()">x</a>', '<a rel="noopener noreferrer">x</a>'],
    [
      '<a href="https://a.example" target="_blank">x</a>',
      '<a href="https://a.example" rel="noopener noreferrer">x</a>',
    ],
    ['<a href="mailto:a@b.example">x</a>', '<a href="mailto:a@b.example" rel="noopener noreferrer">x</a>'],
    ['<img src="https://a.example/b.png" onerror="steal()" alt="A">', '<img alt="A" src="https://a.example/b.png" />'],
    ['<img src="//cdn.example/b.png">', '<img src="https://cdn.example/b.png" />'],
    ['<img src="http://a.example/b.png"><img src="data:image/svg+xml,x"><img src=x:y>', ''],
    ['<svg><script>steal()</script></svg><math><a xlink:href="javascript:x">y', '<a rel="noopener noreferrer">y</a>'],
    ['Broken <b>bold', 'Broken <b>bold</b>'],
    ['<!-- note -->Hi<', 'Hi&lt;'],
  ]
  for (const [written, safe] of table) assert.equal(makeSafeHtml(written), safe)
})

test('plain text is unchanged', () => {
  for (const text of ['', 'Fits 5 < 6 & more', 'I <3 tea', 'a > b', 'Café &amp; crème']) {
    assert.equal(makeSafeHtml(text), text)
  }
})

test('sanitising twice gives the same result as once', () => {
  const parts = [
    '<p>',
    '</p>',
    '<b',
    '>',
    '<img src="//a/b">',
    '&amp;',
    '&lt;script&gt;',
    '<a href="?a=1&b=2">',
    '<',
    '"',
  ]
  for (let n = 0; n < 2_000; n++) {
    const text = Array.from({ length: 6 }, (_, i) => parts[(n * (i + 3) + i * i) % parts.length]).join(' x')
    const safe = makeSafeHtml(text)
    assert.equal(makeSafeHtml(safe), safe, text)
  }
})

test('a text is refused for tags inside each other, in a moment, and not for many tags', () => {
  const deep = '<b>'.repeat(maxHtmlDepth + 1)
  const hidden = ['<td><li>', '<b></i>', '<b title="</b>">', '<b><!--</b>-->', '<svg><x>', '<p><div>']
  const table: [text: string, isTooDeep: boolean][] = [
    ['<b>'.repeat(maxHtmlDepth), false],
    [`${'<li>x'.repeat(5_000)}${'<p>x'.repeat(5_000)}${'<br><img src=x>'.repeat(5_000)}`, false],
    ['<table><tr><td><b>x</b></td></tr></table>'.repeat(2_000), false],
    ['<'.repeat(5_000), false],
    [deep, true],
    [`<script>${deep}</script>`, false],
    ...hidden.map((part): [string, boolean] => [part.repeat(maxHtmlDepth + 1), true]),
  ]
  for (const [text, isTooDeep] of table) assert.equal(isNestedTooDeep(text), isTooDeep, text.slice(0, 60))
  const start = performance.now()
  assert.ok(isNestedTooDeep(`${'<b>'.repeat(600_000)}${'</i>'.repeat(500_000)}`))
  assert.ok(performance.now() - start < 1_000)
})
