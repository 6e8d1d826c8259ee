import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { AwsClient } from 'aws4fetch'
import { seconds } from '../../core/clock.ts'
import { type FileKey, type FileStorage, immutableFor } from './storage.ts'

export type BucketSettings = {
  /** The bucket's own URL: `https://s3.example/bucket` or `https://bucket.s3.example`. */
  url: string
  region: string
  accessKeyId: string
  secretAccessKey: string
}

/** For the whole answer, whose reader may be slow. */
const readLimitMs = seconds(60)

/** Files in a bucket with the API of S3. They are in the folder `media`, as in the URLs of the service. */
export const createBucketStorage = (
  { url, region, accessKeyId, secretAccessKey }: BucketSettings,
  callLimitMs = seconds(15),
): FileStorage => {
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 2 })
  const call = async (method: string, key: FileKey, limitMs: number, init: RequestInit = {}) => {
    const answer = await client.fetch(`${url}/media/${key}`, {
      ...{ ...init, method, redirect: 'error', signal: AbortSignal.timeout(limitMs) },
    })
    if (answer.ok || answer.status === 404) return answer
    throw new Error(`The bucket answered ${method} with ${answer.status}: ${(await answer.text()).slice(0, 300)}`)
  }
  return {
    name: 'bucket',
    put: async (key, bytes, contentType) => {
      const headers = {
        'content-type': contentType,
        'cache-control': immutableFor,
        // Signed, so that the bucket refuses a file that was damaged on the way.
        'x-amz-content-sha256': hash('sha256', bytes, 'hex'),
      }
      const answer = await call('PUT', key, callLimitMs, { headers, body: new Uint8Array(bytes) })
      if (answer.status === 404) throw new Error('The bucket does not exist.')
      await answer.body?.cancel()
    },
    open: async (key) => {
      const answer = await call('GET', key, readLimitMs)
      if (answer.status === 404 || answer.body === null) {
        await answer.body?.cancel()
        return undefined
      }
      const stream = Readable.from(answer.body)
      return { stream, bytes: Number(answer.headers.get('content-length')) }
    },
    remove: async (key) => {
      await (await call('DELETE', key, callLimitMs)).body?.cancel()
    },
  }
}
