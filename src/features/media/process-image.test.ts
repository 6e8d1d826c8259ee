import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { DomainError } from '../../core/domain-errors.ts'
import { newPicture } from './fixture.ts'
import { processImage } from './process-image.ts'

const assertRefused = (bytes: Uint8Array, code: string, text?: RegExp) =>
  assert.rejects(processImage(bytes), (error) => {
    assert.ok(error instanceof DomainError, String(error))
    assert.equal(error.code, code)
    if (text !== undefined) assert.match(error.message, text)
    return true
  })

test('a photo is turned upright, and loses its metadata with the place where it was taken', async () => {
  const photo = await newPicture({ width: 400, height: 200, format: 'jpeg' }, (image) =>
    image
      .withExif({ IFD0: { Copyright: 'Meera' }, IFD3: { GPSLatitude: '51/1 30/1 0/1' } })
      .withMetadata({ orientation: 6 }),
  )
  assert.ok((await sharp(photo).metadata()).exif)
  const { width, height, original, sizes, extension } = await processImage(photo)
  assert.deepEqual([width, height, extension], [200, 400, 'jpg'])
  for (const bytes of [original, ...sizes.values()]) {
    const { exif, orientation, xmp, icc, iptc } = await sharp(bytes).metadata()
    assert.deepEqual({ exif, orientation, xmp, icc, iptc }, { ...{ exif: undefined, orientation: undefined }, ...none })
  }
  const smallest = await sharp(sizes.get(160)).metadata()
  assert.deepEqual([smallest.width, smallest.height], [160, 320])
})

const none = { xmp: undefined, icc: undefined, iptc: undefined }

test('each format stays what it is, and a narrow picture is not enlarged', async () => {
  for (const [format, extension] of [
    ['jpeg', 'jpg'],
    ['png', 'png'],
    ['webp', 'webp'],
    ['avif', 'avif'],
    ['gif', 'gif'],
  ] as const) {
    const image = await processImage(await newPicture({ width: 100, height: 50, format }))
    assert.equal(image.extension, extension)
    assert.deepEqual([...image.sizes.keys()], [100])
    assert.equal(image.animated, false)
  }
})

test('transparency stays', async () => {
  const background = { r: 1, g: 2, b: 3, alpha: 0.5 }
  const bytes = await sharp({ create: { width: 20, height: 20, channels: 4, background } })
    .png()
    .toBuffer()
  const { original, sizes } = await processImage(bytes)
  for (const one of [original, ...sizes.values()]) assert.equal((await sharp(one).metadata()).hasAlpha, true)
})

test('an animation stays one in the original, and its sizes show the first frame', async () => {
  const frames = [await newPicture({ width: 300 }), await newPicture({ width: 300 }), await newPicture({ width: 300 })]
  for (const format of ['gif', 'webp'] as const) {
    const animation = await sharp(frames, { join: { animated: true } })
      .toFormat(format)
      .toBuffer()
    const { width, height, animated, original, sizes } = await processImage(animation)
    assert.deepEqual([width, height, animated], [300, 100, true])
    assert.equal((await sharp(original, { animated: true }).metadata()).pages, 3)
    const first = await sharp(sizes.get(160)).metadata()
    assert.deepEqual([first.pages ?? 1, first.height], [1, 53])
  }
})

/** A PNG of so many pixels in a few kilobytes: all rows are zero. */
const makeBomb = (width: number, height: number) => {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const ends = [Buffer.alloc(4), Buffer.alloc(4)] as const
    ends[0].writeUInt32BE(data.length)
    ends[1].writeUInt32BE(crc32(body))
    return Buffer.concat([ends[0], body, ends[1]])
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([1, 0, 0, 0, 0], 8)
  const rows = deflateSync(Buffer.alloc((Math.ceil(width / 8) + 1) * height))
  const start = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([start, chunk('IHDR', head), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))])
}

const crc32 = (bytes: Uint8Array) => {
  let crc = -1
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return (crc ^ -1) >>> 0
}

test('a decompression bomb is refused by its header, quickly', async () => {
  const bomb = makeBomb(15_000, 15_000)
  assert.ok(bomb.byteLength < 100_000)
  const before = process.memoryUsage.rss()
  const startMs = performance.now()
  await assertRefused(bomb, 'PICTURE_TOO_LARGE', /50 megapixels/)
  assert.ok(performance.now() - startMs < 5_000)
  assert.ok(process.memoryUsage.rss() - before < 100_000_000)
  await assertRefused(makeBomb(20_000, 10), 'PICTURE_TOO_LARGE', /16000 pixels/)
  const frame = await newPicture({ width: 1_000, height: 1_000 })
  const long = await sharp(
    Array.from({ length: 52 }, () => frame),
    { join: { animated: true }, limitInputPixels: false },
  )
    .gif({ effort: 1, keepDuplicateFrames: true })
    .toBuffer()
  await assertRefused(long, 'PICTURE_TOO_LARGE')
})

test('other files are refused, whatever their name says, and those that people try are named', async () => {
  const svg = '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
  await assertRefused(Buffer.from(svg), 'PICTURE_TYPE_REFUSED', /^SVG files are not accepted/)
  const tiff = await newPicture({ format: 'tiff' })
  await assertRefused(tiff, 'PICTURE_TYPE_REFUSED', /^TIFF/)
  await assertRefused(Buffer.from('%PDF-1.7'), 'PICTURE_TYPE_REFUSED', /^PDF/)
  await assertRefused(Buffer.from('\0\0\0\x18ftypheic', 'latin1'), 'PICTURE_TYPE_REFUSED', /^HEIC/)
  for (const text of ['', 'sample', '<html>', 'MZ', 'PK\x03\x04']) {
    await assertRefused(Buffer.from(text), 'PICTURE_TYPE_REFUSED', /^The file is not a picture/)
  }
})

test('a damaged picture is refused', async () => {
  for (const format of ['jpeg', 'png', 'webp', 'avif', 'gif'] as const) {
    const whole = await newPicture({ width: 300, height: 300, format }, (image) =>
      image.composite([{ input: { text: { text: 'Vitrine' } } }]),
    )
    await assertRefused(whole.subarray(0, Math.floor(whole.byteLength / 2)), 'PICTURE_DAMAGED')
    await assertRefused(whole.subarray(0, 14), 'PICTURE_DAMAGED')
  }
  const start = Buffer.from('\xff\xd8\xff\xe0 and then <svg onload=alert(1)>', 'latin1')
  await assertRefused(start, 'PICTURE_DAMAGED')
})
