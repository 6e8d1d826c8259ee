import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { totpCode, totpStep } from '../../src/core/totp.ts'
import type { StaffRole } from '../../src/features/access/admin.contract.ts'
import { staffPassword } from '../admin-callers.ts'
import { checkPage, dialogWindows, type StaffBrowser, staffWith } from './admin-steps.ts'
import { type BrowserFixture, browserTest } from './fixture.ts'
import { becomes, button, heading, openMail, sees } from './steps.ts'

const menuOf = (page: Page) => page.getByRole('navigation', { name: 'Screens' }).getByRole('link').allInnerTexts()

const everyScreen = [
  'Today',
  'Orders',
  'Returns',
  'Products',
  'Customers',
  'Coupons',
  'Reports',
  'Activity',
  'Settings',
]
const menus: Record<StaffRole, string[]> = {
  owner: [...everyScreen, 'Staff'],
  manager: everyScreen,
  fulfilment: ['Today', 'Orders', 'Returns', 'Products', 'Coupons', 'Activity'],
  support: ['Today', 'Orders', 'Returns', 'Products', 'Customers', 'Coupons', 'Activity'],
  viewer: everyScreen,
}

/** Another device of the same person. */
const otherDevice = async (fixture: BrowserFixture, { email, page }: StaffBrowser) => {
  const { origin } = new URL(page.url())
  const device = await fixture.newShopper({ baseURL: origin })
  const answer = await device.context.request.post('/admin/v1/session', {
    headers: { origin },
    data: { email, password: staffPassword },
  })
  assert.equal(answer.status(), 200, await answer.text())
  return device
}

browserTest('an owner invites support staff, who see only what support may', async (fixture) => {
  const owner = await staffWith(fixture, 'owner')
  const { page, context } = owner
  await owner.open('staff')
  const rowOf = (text: string) => page.getByRole('row').filter({ hasText: text })
  await sees(rowOf(owner.email).getByText('The only owner.'))
  await button(page, 'Invite').click()
  const dialog = page.getByRole('dialog', { name: 'Invite to your staff' })
  await dialog.getByLabel('Email').fill('ravi@kavya.example')
  await dialog.getByLabel('Name').fill('Ravi Nair')
  await sees(dialog.getByText(/^Sees products, orders and customers, writes notes/))
  await context.setOffline(true)
  await button(dialog, 'Invite').click()
  await sees(dialog.getByText('The service cannot be reached.'))
  assert.equal(await dialog.getByLabel('Email').inputValue(), 'ravi@kavya.example', 'what was typed stays')
  await context.setOffline(false)
  await button(dialog, 'Invite').click()
  await sees(page.getByText('The invitation is on its way to ravi@kavya.example.'))
  await sees(rowOf('Ravi Nair').getByText('Invited'))
  await button(rowOf('Ravi Nair'), /^Invite again/).click()
  await button(page.getByRole('dialog'), 'Invite again').click()
  await becomes(() => page.getByRole('dialog').count(), 0)

  const inbox = await fixture.newShopper()
  const { frame } = await openMail(inbox, 'ravi@kavya.example', 'staff.invitation')
  const link = await frame
    .getByRole('link')
    .filter({ hasText: /password|account|start/i })
    .first()
    .getAttribute('href')
  assert.ok(link)
  const ravi = await fixture.newShopper()
  await ravi.page.goto(link)
  await ravi.page.getByLabel('New password').fill(staffPassword)
  await button(ravi.page, 'Save and sign in').click()
  await sees(heading(ravi.page, 'Today'))
  assert.deepEqual(await menuOf(ravi.page), menus.support)
  await ravi.page.goto(page.url())
  await sees(ravi.page.getByText('Your role does not allow this'))
  await ravi.page.goto(page.url().replace(/staff$/, 'coupons'))
  await sees(ravi.page.getByRole('link', { name: 'WELCOME10' }))
  assert.equal(await ravi.page.getByRole('link', { name: 'New coupon' }).count(), 0)

  await page.reload()
  await button(rowOf('Ravi Nair'), /^Change role/).click()
  const role = page.getByRole('dialog', { name: 'Role of Ravi Nair' })
  await role.getByLabel('Role').selectOption({ label: 'Owner' })
  await button(role, 'Change role').click()
  await sees(page.getByText('Ravi Nair is owner now.'))
  await sees(button(rowOf(owner.email), /^Remove/))
  await button(page, 'Undo').click()
  await sees(rowOf(owner.email).getByText('The only owner.'))
  await button(rowOf('Ravi Nair'), /^Remove/).click()
  const removing = page.getByRole('dialog', { name: 'Remove Ravi Nair?' })
  await sees(removing.getByText('Ravi Nair loses access to Kavya & Co. at once.'))
  await button(removing, 'Remove').click()
  await becomes(() => rowOf('Ravi Nair').count(), 0)

  await button(page, 'New token').click()
  const making = page.getByRole('dialog', { name: 'New token for a program' })
  await making.getByLabel('Name of the program').fill('Warehouse')
  await making.getByLabel('See orders').check()
  await making.getByLabel('Ship and deliver orders').check()
  await button(making, 'Make token').click()
  const made = page.getByRole('dialog', { name: 'The token of Warehouse' })
  const token = await made.getByLabel('Token', { exact: true }).inputValue()
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await button(made, 'Copy').click()
  await sees(button(made, 'Copied'))
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), token)
  const callWith = (path: string) =>
    fixture.service.call(`/admin/v1/stores/${fixture.store.publicId}/${path}`, {
      headers: { authorization: `Bearer ${token}` },
    })
  assert.equal((await callWith('orders')).status, 200)
  assert.equal((await callWith('customers')).status, 403)
  await button(made, 'Done').click()
  await button(rowOf('Warehouse'), /^Revoke/).click()
  await button(page.getByRole('dialog'), 'Revoke').click()
  await sees(page.getByText('No program has a token.'))
  assert.equal((await callWith('orders')).status, 401)
})

browserTest('the menu of every role has the screens that the role may open', async (fixture) => {
  for (const role of ['owner', 'manager', 'fulfilment', 'viewer'] as const) {
    const { page, open } = await staffWith(fixture, role)
    await open()
    await sees(heading(page, 'Today'))
    assert.deepEqual(await menuOf(page), menus[role], role)
  }
})

browserTest('a person switches on a second factor, and ends the session of another device', async (fixture) => {
  const person = await staffWith(fixture, 'viewer')
  const { page } = person
  await page.goto('/admin/account')
  await sees(heading(page, 'Your account'))
  await page
    .getByRole('textbox', {
      name: 'Name',
      exact: true,
      description: 'Colleagues see it beside your notes and changes.',
    })
    .fill('Meera Kapoor')
  await button(page, 'Save name').click()
  await sees(page.getByText('Your name is saved.'))
  await sees(page.locator('summary').filter({ hasText: 'Meera Kapoor' }))

  await button(page, 'Switch on').click()
  const starting = page.getByRole('dialog', { name: 'Switch on the second factor' })
  await starting.getByLabel('Your password').fill('not the password')
  await button(starting, 'Continue').click()
  await sees(starting.getByText('The current password is wrong.'))
  await starting.getByLabel('Your password').fill(staffPassword)
  await button(starting, 'Continue').click()
  const confirming = page.getByRole('dialog', { name: 'Scan this code with your app' })
  await sees(confirming.getByRole('img', { name: /^QR code/ }))
  const secret = (await confirming.getByLabel('Or type this into the app').inputValue()).replaceAll(' ', '')
  const codeAt = (stepsAhead: number) => totpCode(secret, totpStep(fixture.service.clock.now()) + stepsAhead)
  await confirming.getByLabel('Code', { exact: true }).fill(codeAt(20))
  await button(confirming, 'Confirm').click()
  await sees(confirming.getByText('The code is wrong.'))
  await confirming.getByLabel('Code', { exact: true }).fill(codeAt(0))
  await button(confirming, 'Confirm').click()
  const keeping = page.getByRole('dialog', { name: 'Keep your recovery codes' })
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    keeping.getByRole('link', { name: 'Download' }).click(),
  ])
  const codes = readFileSync(await download.path(), 'utf8')
    .trim()
    .split('\n')
  assert.equal(codes.length, 10)
  await sees(keeping.getByText(codes[9] ?? ''))
  await button(keeping, 'I have kept them').click()
  await sees(page.getByText('Signing in asks for a code of your authenticator app.'))

  const { page: other } = await fixture.newShopper({ baseURL: new URL(page.url()).origin })
  await other.goto('/admin/sign-in?next=/admin/account')
  await other.getByLabel('Email').fill(person.email)
  await other.getByLabel('Password').fill(staffPassword)
  await button(other, 'Sign in').click()
  await other.getByLabel('Code').fill(codeAt(1))
  await button(other, 'Sign in').click()
  await sees(heading(other, 'Your account'))

  await page.reload()
  await sees(page.getByText('This device'))
  await button(page, /^Sign out Chrome/).click()
  await button(page.getByRole('dialog'), 'Sign out').click()
  await sees(page.getByText('You are signed in on no other device.'))
  await button(other, 'Save name').click()
  await sees(other.getByRole('dialog', { name: 'Sign in again' }))

  await button(page, 'Switch off').click()
  const removing = page.getByRole('dialog', { name: 'Switch off the second factor?' })
  await removing.getByLabel('Your password').fill(staffPassword)
  await button(removing, 'Switch off').click()
  await sees(page.getByText('The second factor is off.'))
  for (let device = 0; device < 2; device++) await otherDevice(fixture, person)
  await page.reload()
  await button(page, 'Sign out 2 other devices').click()
  const ending = page.getByRole('dialog', { name: 'Sign out all other devices?' })
  await page.context().setOffline(true)
  await button(ending, 'Sign out 2 devices').click()
  await sees(ending.getByText('The service cannot be reached.'))
  await page.context().setOffline(false)
  await button(ending, 'Sign out 2 devices').click()
  await sees(page.getByText('2 devices signed out.'))
  await sees(page.getByText('You are signed in on no other device.'))
  const devices = [await otherDevice(fixture, person), await otherDevice(fixture, person)]
  await page.getByLabel('Current password').fill(staffPassword)
  await page.getByLabel('New password').fill('another good password')
  await button(page, 'Change password').click()
  await sees(page.getByText('Your password is changed.'))
  for (const { page: tab } of devices) {
    await tab.goto('/admin/account')
    await sees(heading(tab, 'Sign in'))
  }
})

browserTest(
  'the screens of staff and of the account have no accessibility violations and fit a phone',
  async (fixture) => {
    for (const window of dialogWindows) {
      const owner = await staffWith(fixture, 'owner', window)
      const { page, open } = owner
      const check = (name: string) => checkPage(page, `${name} ${JSON.stringify(window)}`)
      await open('staff')
      await sees(page.getByRole('row').filter({ hasText: owner.email }))
      await page.getByText('What each role may do').click()
      await check('staff')
      await button(page, 'New token').click()
      const making = page.getByRole('dialog', { name: 'New token for a program' })
      await making.getByLabel('Name of the program').fill('Warehouse')
      await making.getByLabel('See orders').check()
      await check('new token')
      await button(making, 'Make token').click()
      await button(page.getByRole('dialog', { name: 'The token of Warehouse' }), 'Done').click()
      await check('tokens')
      await button(page, 'Invite').click()
      const inviting = page.getByRole('dialog', { name: 'Invite to your staff' })
      await inviting.getByLabel('Email').fill('devi@kavya.example')
      await check('invite')
      // As a service answers that sends no mail.
      const link = 'https://shop.example/admin/set-password?token=stl_1'
      await page.route('**/staff', (route) =>
        route.request().method() === 'POST'
          ? route.fulfill({ status: 201, json: { staffId: 'stf_1', link } })
          : route.continue(),
      )
      await button(inviting, 'Invite').click()
      const sending = page.getByRole('dialog', { name: 'Send this link to devi@kavya.example' })
      assert.equal(await sending.getByLabel('Link').inputValue(), link)
      await check('link')
      await otherDevice(fixture, owner)
      await otherDevice(fixture, owner)
      await page.goto('/admin/account')
      await sees(button(page, 'Sign out 2 other devices'))
      await check('account')
      await button(page, 'Switch on').click()
      const starting = page.getByRole('dialog', { name: 'Switch on the second factor' })
      await starting.getByLabel('Your password').fill(staffPassword)
      await button(starting, 'Continue').click()
      await sees(page.getByRole('img', { name: /^QR code/ }))
      await check('second factor')
    }
  },
)
