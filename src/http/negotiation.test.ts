import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { makeCachedAnswer } from './cached-answers.ts'
import { chooseEncoding, encodeAnswer, matchesEtag } from './negotiation.ts'

test('the best encoding that the caller accepts is chosen', () => {
  const choices: [string | undefined, string][] = [
    [undefined, 'identity'],
    ['', 'identity'],
    ['identity', 'identity'],
    ['deflate', 'identity'],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['br;q=1.0, gzip;q=0.8, *;q=0.1', 'br'],
    ['zstd , gzip ; q=0.5', 'gzip'],
    ['brotli', 'identity'],
  ]
  for (const [header, expected] of choices) assert.equal(chooseEncoding(header), expected, `${header}`)
})

test('an encoding with q=0 is not acceptable', () => {
  assert.equal(chooseEncoding('br;q=0, gzip'), 'gzip')
  assert.equal(chooseEncoding('br;q=0.000, gzip;q=0.0'), 'identity')
  assert.equal(chooseEncoding('gzip;q=0, br;Q=0'), 'identity')
  assert.equal(chooseEncoding('br;q=0.01'), 'br')
})

test('compressed bytes decode to the body, and are made once', async () => {
  const text = JSON.stringify(Array.from({ length: 200 }, (_, i) => ({ name: `Café ${i}`, price: i })))
  const answer = makeCachedAnswer(text)
  const ask = async (accept: string) => {
    const { encoding, bytes } = encodeAnswer(answer, accept)
    return { encoding, bytes: await bytes }
  }
  const [br, gzip] = [await ask('br'), await ask('gzip')]
  assert.equal(brotliDecompressSync(br.bytes).toString(), text)
  assert.equal(gunzipSync(gzip.bytes).toString(), text)
  assert.ok(br.bytes.byteLength < text.length / 2 && gzip.bytes.byteLength < text.length / 2)
  assert.equal((await ask('br')).bytes, br.bytes)
  assert.equal((await ask('gzip')).bytes, gzip.bytes)
})

test('concurrent requests for a compressed form share one', async () => {
  const answer = makeCachedAnswer('x'.repeat(5000))
  const [one, another] = [encodeAnswer(answer, 'br'), encodeAnswer(answer, 'br')]
  assert.equal(await one.bytes, await another.bytes)
})

test('a body below 1 KiB is not compressed', () => {
  assert.equal(encodeAnswer(makeCachedAnswer('x'.repeat(1023)), 'br, gzip').encoding, 'identity')
  assert.equal(encodeAnswer(makeCachedAnswer('x'.repeat(1024)), 'br, gzip').encoding, 'br')
})

test('If-None-Match compares weakly: a single tag, a list, and `*`', () => {
  const etag = 'W/"abc-_123"'
  for (const header of [etag, '"abc-_123"', '"x", "abc-_123"', 'W/"x",W/"abc-_123" , "y"', '*', ' * ']) {
    assert.ok(matchesEtag(header, etag), header)
  }
  for (const header of [
    undefined,
    '',
    '"abc"',
    'abc-_123',
    '"abc-_123',
    'W/"ABC-_123"',
    '"abc-_1234"',
    'w/"abc-_123"',
  ]) {
    assert.equal(matchesEtag(header, etag), false, `${header}`)
  }
})

test('failed compression is retried for the next caller', async () => {
  const answer = { ...makeCachedAnswer('x'.repeat(5_000)), text: {} as string }
  await assert.rejects(async () => encodeAnswer(answer, 'gzip').bytes)
  assert.equal(answer.gzip, undefined)
  answer.text = 'x'.repeat(5_000)
  assert.ok((await encodeAnswer(answer, 'gzip').bytes).byteLength < 5_000)
})
