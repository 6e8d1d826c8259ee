import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readProductTable, readRows } from './csv-reader.ts'
import { readJsonArray, readJsonLines } from './json-reader.ts'
import { FileFault, type ProductRecord } from './records.ts'
import { createSlugLines } from './slug-lines.ts'

/** Splits the text into chunks of every size. */
async function* inPieces(text: string, size: number) {
  for (let from = 0; from < text.length; from += size) yield text.slice(from, from + size)
}

const all = async (records: AsyncIterable<ProductRecord>) =>
  Array.fromAsync(records, ({ line, value }) => [line, value])

const isFileFault = (line: number, message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof FileFault, String(error))
  assert.match(error.message, message)
  assert.equal(error.line, line)
  return true
}

test('an array is read correctly, wherever the chunks are split', async () => {
  const elements = [{ name: 'a "quoted" ]}{[ one' }, { name: 'back\\slash\\\\', list: [1, [2], {}] }, 'text', 4, true]
  for (const indent of [0, 2]) {
    const text = `\n ${JSON.stringify(elements, null, indent)}\n`
    for (let size = 1; size < 40; size++) {
      assert.deepEqual(
        await all(readJsonArray(inPieces(text, size))),
        elements.map((element, i) => [i + 1, element]),
      )
    }
  }
  assert.deepEqual(await all(readJsonArray(inPieces(' [ ] ', 2))), [])
})

test('an invalid element is a fault, and the others are read', async () => {
  const records = await Array.fromAsync(readJsonArray(inPieces('[{"name":"a"},{name:1},,{"name":"b"},]', 3)))
  assert.deepEqual(
    records.map(({ line, faults }) => [line, faults?.length ?? 0]),
    [
      [1, 0],
      [2, 1],
      [3, 1],
      [4, 0],
      [5, 1],
    ],
  )
})

test('a truncated array, one followed by text, and anything else are file faults', async () => {
  await assert.rejects(all(readJsonArray(inPieces('[{"a":1},{"b":', 4))), isFileFault(2, /cut off/))
  await assert.rejects(all(readJsonArray(inPieces('[{"a":"x}]', 4))), isFileFault(1, /cut off/))
  await assert.rejects(all(readJsonArray(inPieces('[1] [2]', 4))), isFileFault(1, /after the end/))
  await assert.rejects(all(readJsonArray(inPieces('{"products":[]}', 4))), isFileFault(1, /start of a JSON array/))
})

test('JSON lines count every line, including empty ones and a last line without a line break', async () => {
  for (const size of [1, 7, 1000]) {
    assert.deepEqual(await all(readJsonLines(inPieces('{"n":1}\r\n\n  \n{"n":"é\\n"}\n{"n":3}', size))), [
      [1, { n: 1 }],
      [4, { n: 'é\n' }],
      [5, { n: 3 }],
    ])
  }
})

test('a row has the line it starts on, whatever its cells and line breaks', async () => {
  for (const end of ['\n', '\r\n']) {
    const text = ['a,b', '1,"two', 'lines"', '', '"x ""y""",z', '"', '', '",last', 'end,of'].join(end)
    const rows = await Array.fromAsync(readRows(inPieces(text, 5), ','))
    assert.deepEqual(
      rows.map(({ line, cells }) => [line, ...cells]),
      [
        [1, 'a', 'b'],
        [2, '1', `two${end}lines`],
        [5, 'x "y"', 'z'],
        [6, `${end}${end}`, 'last'],
        [9, 'end', 'of'],
      ],
    )
  }
})

test('an unclosed or misplaced quote is reported with its line', async () => {
  const read = (text: string) => Array.fromAsync(readRows(inPieces(text, 5), ','))
  await assert.rejects(read('a,b\n1,2\n3,"4\n5,6\n'), isFileFault(3, /unclosed quote/))
  await assert.rejects(read('a,b\n1,2\nMonitor 24",4\n'), isFileFault(3, /quote inside a cell/))
  await assert.rejects(read('a,b\n"1"x,2\n'), isFileFault(2, /after a closing quote/))
})

test('cells are converted to the values that JSON would have', async () => {
  const cells = (heading: string, row: string) =>
    all(readProductTable(readRows(inPieces(`${heading}\n${row}\n`, 7), ',')))
  const table: [heading: string, cell: string, value: unknown][] = [
    ['price', '12.50', 12.5],
    ['Compare At Price', '15', 15],
    ['price', '12,50 €', '12,50 €'],
    ['stock', '7', 7],
    ['stock', '{"outlet_1": 3}', { outlet_1: 3 }],
    ['stock', 'untracked', 'untracked'],
    ['Weight Grams', '12.5', 12.5],
    ['barcode', '0012', '0012'],
    ['status', 'draft', 'DRAFT'],
    ['images', 'https://a/1.jpg | https://a/2.jpg', ['https://a/1.jpg', 'https://a/2.jpg']],
    ['images', 'https://a/1,w_2.jpg, https://a/2.jpg', ['https://a/1,w_2.jpg', 'https://a/2.jpg']],
    ['images', '["a, b"]', ['a, b']],
    ['tags', 'new, blue', ['new', 'blue']],
    ['description', ' as it stands ', ' as it stands '],
    ['sku', '007', '007'],
    ['digital', '{"url":"https://a/b"}', { url: 'https://a/b' }],
  ]
  for (const [heading, cell, value] of table) {
    const [[, read] = []] = await cells(`name,${heading}`, `Mug,"${cell.replaceAll('"', '""')}"`)
    assert.deepEqual(Object.values(read as object), ['Mug', value], `${heading}: ${cell}`)
  }
  assert.deepEqual(await cells('name,price,stock,status,variants', 'Mug,,,,'), [[2, { name: 'Mug' }]])
  assert.deepEqual(await cells('name,description,unknown', 'Mug, ,'), [[2, { name: 'Mug', description: null }]])
})

test('the first line of every slug is found, however many there are', () => {
  const slugs = createSlugLines(4)
  for (let n = 1; n <= 20_000; n++) assert.equal(slugs.firstLine(`slug-${n}`, n), n)
  for (let n = 1; n <= 20_000; n += 7) assert.equal(slugs.firstLine(`slug-${n}`, 99_999), n)
})
