import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { browserTest } from './fixture.ts'
import { becomes, button, heading, sees, violationsOf } from './steps.ts'

const menu = (page: Page) => page.getByRole('navigation', { name: 'Categories', exact: true })
const opener = (page: Page, label: string) => button(menu(page), `${label}, more pages`)
const link = (page: Page, name: string) => menu(page).getByRole('link', { name, exact: true })
const isOpen = async (page: Page, label: string) => (await opener(page, label).getAttribute('aria-expanded')) === 'true'

browserTest('on a desktop the sub-menu works with the keyboard alone', async (fixture) => {
  const { page, pageErrors } = await fixture.newShopper()
  await page.goto('/')
  await sees(opener(page, 'Clothing'))
  await becomes(() => link(page, 'Footwear').isVisible(), false)
  await link(page, 'Clothing').focus()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await becomes(() => isOpen(page, 'Clothing'), true)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Escape')
  await becomes(() => isOpen(page, 'Clothing'), false)
  await becomes(
    () => page.evaluate(`document.activeElement.getAttribute('aria-label')`),
    'Clothing, more pages',
    'the focus is back on the button',
  )
  await page.keyboard.press('Space')
  await becomes(() => isOpen(page, 'Clothing'), true)
  for (let presses = 0; presses < 4; presses++) await page.keyboard.press('Tab')
  await becomes(() => isOpen(page, 'Clothing'), true, 'Accessories is the fourth')
  await page.keyboard.press('Tab')
  await becomes(() => isOpen(page, 'Clothing'), false, 'it closes behind the focus')
  await opener(page, 'Clothing').focus()
  await page.keyboard.press('Enter')
  await becomes(() => isOpen(page, 'Clothing'), true)
  for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await sees(heading(page, 'Footwear'))
  await becomes(() => isOpen(page, 'Clothing'), false)
  assert.deepEqual(pageErrors, [])
})

browserTest('hovering opens a sub-menu, and a click keeps it open', async (fixture) => {
  const { page } = await fixture.newShopper()
  await page.goto('/')
  await link(page, 'Home').hover()
  await sees(link(page, 'Cookware'))
  await link(page, 'Clothing').hover()
  await sees(link(page, 'Footwear'))
  await link(page, 'Cookware').waitFor({ state: 'hidden' })
  await opener(page, 'Clothing').click()
  await page.getByRole('link', { name: 'Shop for the home' }).hover()
  await becomes(() => link(page, 'Footwear').isVisible(), true)
  await page.mouse.click(5, 500)
  await link(page, 'Footwear').waitFor({ state: 'hidden' })
  await link(page, 'Home').hover()
  await link(page, 'Kitchen').click()
  await sees(heading(page, 'Kitchen'))
  await link(page, 'Cookware').waitFor({ state: 'hidden' })
})

for (const colorScheme of ['light', 'dark'] as const) {
  browserTest(`a tap opens and closes an accessible sub-menu, ${colorScheme}`, async (fixture) => {
    const { page } = await fixture.newShopper({
      ...{ viewport: { width: 1024, height: 768 }, hasTouch: true, colorScheme, bypassCSP: true },
    })
    await page.goto('/')
    await opener(page, 'About').tap()
    await sees(link(page, 'Our makers'))
    assert.deepEqual(await violationsOf(page, 'an open sub-menu'), [])
    const [content = 0, window = 0] = await page.evaluate<number[]>(
      '[document.documentElement.scrollWidth, innerWidth]',
    )
    assert.ok(content <= window)
    await opener(page, 'About').tap()
    await link(page, 'Our makers').waitFor({ state: 'hidden' })
    await opener(page, 'Home').tap()
    await link(page, 'Bed and bath').tap()
    await sees(heading(page, 'Bed and bath'))
  })
}

browserTest('the menu of a phone has all entries', async (fixture) => {
  const { page } = await fixture.newShopper({ viewport: { width: 390, height: 844 }, hasTouch: true })
  await page.goto('/')
  await sees(page.getByRole('link', { name: 'Shop for the home' }))
  await becomes(() => menu(page).isVisible(), false)
  await button(page, 'Menu').tap()
  await page.getByRole('dialog', { name: 'Menu' }).getByRole('link', { name: 'Footwear' }).tap()
  await sees(heading(page, 'Footwear'))
})
