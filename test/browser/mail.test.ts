import assert from 'node:assert/strict'
import { languages } from '../../src/core/languages.ts'
import { messageNames } from '../../src/features/events/messages.ts'
import { previewMail } from '../../src/features/mail/preview.ts'
import { browserTest } from './fixture.ts'
import { violationsOf } from './steps.ts'

browserTest(
  'every mail is accessible and fits, on a desktop, a narrow phone, and in the dark',
  async ({ store, newShopper }) => {
    const from = { publicUrl: 'http://localhost:3000', mailFrom: { name: '', address: 'shop@kavya.example' } }
    const { page } = await newShopper()
    const looks = [
      { width: 1000, colorScheme: 'light' },
      { width: 320, colorScheme: 'light' },
      { width: 360, colorScheme: 'dark' },
    ] as const
    for (const [i, message] of messageNames.entries()) {
      for (const language of languages) {
        // A colour that is hard to read on white, and one that is hard to read on black.
        const brandColor = i % 2 === 0 ? '#ffd400' : '#1a1a40'
        const { html } = previewMail(
          { store: { ...store, brandColor, logo: '' }, ...from },
          message,
          language,
          new Date(),
        )
        for (const { width, colorScheme } of looks) {
          const name = `${message} in ${language}, ${width} wide, ${colorScheme}`
          await page.setViewportSize({ width, height: 800 })
          await page.emulateMedia({ colorScheme })
          await page.setContent(html)
          assert.deepEqual(await violationsOf(page, name), [])
          const [content = 0, window = 0] = await page.evaluate<number[]>(
            '[document.documentElement.scrollWidth, innerWidth]',
          )
          assert.ok(content <= window, `${name} is ${content} wide`)
        }
      }
    }
  },
)
