import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import sharp, { type FormatEnum, type Sharp } from 'sharp'
import type { newProgram, UploadedForm } from '../../../test/admin-callers.ts'

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

/** Uploads a picture. */
export const uploadPicture = (
  { upload }: Pick<Awaited<ReturnType<typeof newProgram>>, 'upload'>,
  form: Omit<UploadedForm, 'name'> & { name?: string },
) => upload('/media', { name: 'picture.png', ...form })
