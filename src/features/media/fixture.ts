import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import sharp, { type FormatEnum, type Sharp } from 'sharp'
import type { newProgram } from '../../../test/admin-callers.ts'
import type { Answer, TestService, TestStore } from '../../../test/harness.ts'

/** A data folder, which is deleted with the test or with `remove`. */
export const newDataDir = () => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-media-'))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

export const dataDirFor = (t: TestContext) => {
  const { folder, remove } = newDataDir()
  t.after(remove)
  return folder
}

let shade = 0

/** A picture that no other call makes. */
export const newPicture = (
  {
    width = 200,
    height = 100,
    format = 'png',
  }: { width?: number; height?: number; format?: keyof FormatEnum | 'avif' } = {},
  change: (image: Sharp) => Sharp = (image) => image,
): Promise<Buffer> => {
  shade++
  const background = { r: (shade * 67) % 256, g: Math.floor(shade / 256) % 256, b: process.pid % 256 }
  return change(sharp({ create: { width, height, channels: 3, background } }))
    .toFormat(format as keyof FormatEnum)
    .toBuffer()
}

type Program = Awaited<ReturnType<typeof newProgram>>
export type UploadedForm = {
  bytes: Uint8Array
  name?: string
  fields?: Record<string, string>
  headers?: Record<string, string>
}

/** Uploads as a program of the store. */
export const uploadAs = async (
  service: TestService,
  shop: TestStore,
  { credentials }: Pick<Program, 'credentials'>,
  { bytes, name = 'picture.png', fields = {}, headers = {} }: UploadedForm,
) => {
  const form = new FormData()
  for (const [field, value] of Object.entries(fields)) form.set(field, value)
  form.set('file', new Blob([new Uint8Array(bytes)], { type: 'image/png' }), name)
  const answer = await fetch(`${service.url}/admin/v1/stores/${shop.storeId}/media`, {
    ...{ method: 'POST', body: form, headers: { ...credentials, ...headers } },
  })
  const json: Answer['json'] = await answer.json()
  return { status: answer.status, json }
}
