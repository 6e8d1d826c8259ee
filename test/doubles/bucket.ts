import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

const region = 'eu-test-1'
const accessKeyId = 'AKIDTEST'
const secretAccessKey = 'a+secret/of the bucket'

export type StoredObject = { bytes: Buffer; contentType: string; cacheControl: string }

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/** Checks AWS Signature Version 4 as S3 does. Returns the fault, or null. */
const findSignatureFault = (request: IncomingMessage, body: Buffer): string | null => {
  const { authorization = '', 'x-amz-date': at = '', 'x-amz-content-sha256': payload = '' } = request.headers
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([\w;-]+), ?Signature=([0-9a-f]{64})$/
  const [, id, day = '', signedRegion, signedHeaders = '', signature] = form.exec(authorization) ?? []
  if (id !== accessKeyId || signedRegion !== region) return 'InvalidAccessKeyId'
  const time = String(at)
  const iso = time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z')
  if (!time.startsWith(day) || Math.abs(Date.parse(iso) - Date.now()) > 900_000) return 'RequestTimeTooSkewed'
  const names = signedHeaders.split(';')
  for (const needed of ['host', 'x-amz-date', 'x-amz-content-sha256']) if (!names.includes(needed)) return 'Unsigned'
  if (payload !== sha256(body) && !(payload === 'UNSIGNED-PAYLOAD' && body.length === 0))
    return 'XAmzContentSHA256Mismatch'
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://bucket')
  const canonical = [
    ...[
      request.method,
      pathname,
      [...searchParams]
        .map(([name, value]) => `${name}=${value}`)
        .sort()
        .join('&'),
    ],
    ...names.map((name) => `${name}:${String(request.headers[name] ?? '').trim()}`),
    ...['', signedHeaders, payload],
  ].join('\n')
  const text = ['AWS4-HMAC-SHA256', time, `${day}/${region}/s3/aws4_request`, sha256(canonical)].join('\n')
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`)
  return hmac(key, text).toString('hex') === signature ? null : 'SignatureDoesNotMatch'
}

/**
 * A bucket with the part of the API of S3 that we use, which refuses what is not signed correctly. `faults.fail` answers
 * 503 to so many requests, `faults.silent` does not answer.
 */
export const startBucketDouble = async () => {
  const objects = new Map<string, StoredObject>()
  const faults = { fail: 0, silent: 0 }
  const calls: string[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const body = Buffer.concat(parts)
    const path = new URL(request.url ?? '', 'http://bucket').pathname
    calls.push(`${request.method} ${path}`)
    if (faults.silent > 0) return void faults.silent--
    const answer = (status: number, text = '') =>
      response
        .writeHead(status, { 'content-type': 'application/xml' })
        .end(text && `<Error><Code>${text}</Code></Error>`)
    if (faults.fail > 0) {
      faults.fail--
      return answer(503, 'SlowDown')
    }
    const fault = findSignatureFault(request, body)
    if (fault !== null) return answer(403, fault)
    if (!path.startsWith('/shop-media/')) return answer(404, 'NoSuchBucket')
    const key = path.slice('/shop-media/'.length)
    if (request.method === 'DELETE') {
      objects.delete(key)
      return answer(204)
    }
    if (request.method === 'PUT') {
      const { 'content-type': contentType = '', 'cache-control': cacheControl = '' } = request.headers
      objects.set(key, { bytes: body, contentType, cacheControl })
      return answer(200)
    }
    const found = objects.get(key)
    if (found === undefined) return answer(404, 'NoSuchKey')
    response
      .writeHead(200, { 'content-type': found.contentType, 'content-length': found.bytes.length })
      .end(found.bytes)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    objects,
    faults,
    calls,
    settings: { url: `http://127.0.0.1:${port}/shop-media`, region, accessKeyId, secretAccessKey },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
