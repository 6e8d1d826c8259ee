import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvLine } from './csv.ts'

test('cells with commas, quotes and line breaks are quoted', () => {
  assert.equal(csvLine(['a', 'b, c', 'say "hi"', 'two\nlines']), 'a,"b, c","say ""hi""","two\nlines"\r\n')
})

test('a cell that a spreadsheet would run is made a text', () => {
  const cells = ['=1+1', '+91 98', '-2', '@cmd', '\tx', '=HYPERLINK("http://evil.example","x")', '＝1', '\n=1']
  const line = csvLine(cells)
  assert.equal(line, `'=1+1,'+91 98,'-2,'@cmd,'\tx,"'=HYPERLINK(""http://evil.example"",""x"")",'＝1,"'\n=1"\r\n`)
})

test('numbers stay numbers, nothing stays empty, and objects are JSON', () => {
  assert.equal(csvLine([-2.5, true, null, undefined, { a: 1 }]), '-2.5,true,,,"{""a"":1}"\r\n')
})
