import assert from 'node:assert/strict'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { randomText } from '../../src/core/ids.ts'
import type { StaffRole } from '../../src/features/access/admin.contract.ts'
import { commandLine } from '../../src/features/audit/record.ts'
import { addMember } from '../../src/features/staff/members.ts'
import { staffPassword } from '../admin-callers.ts'
import type { BrowserFixture, Shopper } from './fixture.ts'
import { violationsOf } from './steps.ts'

/** Steps of staff on the page of merchants. */

export const newInvitation = async ({ service, store }: BrowserFixture, role: StaffRole = 'owner') => {
  const email = `${randomText(10)}@kavya.example`
  const { link } = await addMember(service.app.services, { store }, commandLine, { email, role, name: 'Meera Iyer' })
  assert.ok(link)
  return { link, email }
}

export type StaffBrowser = Shopper & {
  email: string
  /** Opens a screen of the store, such as `orders`. */
  open: (path?: string) => Promise<void>
}

/** A browser in which a new staff member with this role is signed in. */
export const staffWith = async (
  fixture: BrowserFixture,
  role: StaffRole,
  options: BrowserContextOptions = {},
): Promise<StaffBrowser> => {
  const { link, email } = await newInvitation(fixture, role)
  const { origin, searchParams } = new URL(link)
  const browser = await fixture.newShopper({ ...options, baseURL: origin })
  const answer = await browser.context.request.post('/admin/v1/password', {
    headers: { origin },
    data: { token: searchParams.get('token'), password: staffPassword },
  })
  assert.equal(answer.status(), 200, await answer.text())
  const open = async (path = '') => {
    await browser.page.goto(`/admin/${fixture.store.publicId}${path === '' ? '' : `/${path}`}`)
  }
  return { ...browser, email, open }
}

/** Reading the session of a person who is not signed in is answered with 401, which Chromium reports. */
export const withoutRefusals = (errors: readonly string[]) => errors.filter((text) => !text.includes('status of 401'))

/** Fails if axe finds something on the current page, or if it scrolls sideways. Needs a context with `bypassCSP`. */
export const checkPage = async (page: Page, name: string) => {
  await page.waitForLoadState('networkidle')
  assert.deepEqual(await violationsOf(page, name), [])
  const [content, window] = await page.evaluate<[number, number]>(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
  )
  assert.ok(content <= window, `${name} scrolls sideways: ${content} in ${window}`)
}

/** The windows in which screens are checked, half of them in each, and with --long all: both themes, a phone and a desktop. */
export const windows: BrowserContextOptions[] = [
  { viewport: { width: 360, height: 800 }, colorScheme: 'dark', bypassCSP: true },
  { viewport: { width: 1280, height: 800 }, colorScheme: 'light', bypassCSP: true },
]

/** Where dialogs are checked too: on a phone, and with --long on a desktop. */
export const dialogWindows = process.env.TEST_ALL_COMBINATIONS ? windows : windows.slice(0, 1)
