import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeSafeHtml } from './safe-html.ts'

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
