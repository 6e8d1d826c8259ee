import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { newPicture } from '../../src/features/media/fixture.ts'
import { callUrl, withinASecond } from '../harness.ts'
import { checkPage, dialogWindows, type StaffBrowser, staffWith, windows, withoutRefusals } from './admin-steps.ts'
import { type BrowserFixture, browserTest } from './fixture.ts'
import { becomes, button, heading, sees } from './steps.ts'

/** A product as shoppers get it. */
const shown = async ({ service, keys }: BrowserFixture, slug: string) =>
  (await callUrl(`${service.url}/v1/products/${slug}`, { headers: { 'x-store-key': keys.browserKey } })).json

/** Calls the API as the staff member of this browser. */
const call = async ({ context, page }: StaffBrowser, { store }: BrowserFixture, path: string, data?: object) => {
  const { origin } = new URL(page.url())
  const address = `${origin}/admin/v1/stores/${store.publicId}${path}`
  const answer = await (data === undefined
    ? context.request.get(address)
    : context.request.post(address, { headers: { origin }, data }))
  assert.ok(answer.ok(), await answer.text())
  return answer.json()
}

const drop = async (page: Page, area: Locator, name: string, bytes: Buffer) => {
  const dataTransfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer()
    const bytes = Uint8Array.from(atob('${bytes.toString('base64')}'), (letter) => letter.charCodeAt(0))
    transfer.items.add(new File([bytes], '${name}', { type: 'image/png' }))
    return transfer
  })()`)
  await area.dispatchEvent('drop', { dataTransfer })
}

const png = async (name: string) => ({ name, mimeType: 'image/png', buffer: await newPicture() })
const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })
const cell = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })

browserTest('an owner puts a product with pictures on sale, and gives it variants', async (fixture) => {
  const staff = await staffWith(fixture, 'owner')
  const { page, context, pageErrors, open } = staff
  await open('products')
  await sees(page.getByRole('table'))
  await page.getByRole('link', { name: 'Add a product' }).click()
  await sees(heading(page, 'New product'))
  await page.getByLabel('Name', { exact: true }).fill('Linen shirt')
  await page.getByLabel('Price').fill('1,200.50')
  await page.getByLabel('Stock').fill('4')
  await page.getByLabel('Category').selectOption({ label: 'New category …' })
  await page.getByLabel('Name of the new category').fill('Shirts')
  await page.getByLabel('Description').fill('Cool in summer.')
  // What cannot be sent says so, and the rest is uploaded.
  const picker = page.getByLabel('Add pictures', { exact: true }).locator('input')
  const large = { name: 'large.png', mimeType: 'image/png', buffer: Buffer.alloc(11 * 1024 * 1024) }
  const note = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('no picture') }
  const broken = { name: 'broken.png', mimeType: 'image/png', buffer: Buffer.from('no picture either') }
  await picker.setInputFiles([large, note, broken, await png('front.png')])
  await sees(page.getByText('This picture is larger than 10 MB.'))
  await sees(page.getByText('This is not a picture.'))
  await sees(page.getByRole('img', { name: 'Picture 1' }))
  await button(page, 'Save and publish').click()
  await sees(page.getByText('A picture was not uploaded.'))
  for (const name of ['large.png', 'note.txt', 'broken.png']) await button(page, `Leave out ${name}`).click()
  // Without a connection it can be tried again.
  await context.setOffline(true)
  await drop(page, page.getByRole('region', { name: 'Add pictures' }), 'back.png', await newPicture())
  const again = button(page, 'Try again to upload back.png')
  await sees(again)
  await context.setOffline(false)
  await again.click()
  await sees(page.getByRole('img', { name: 'Picture 2' }))
  await page.getByLabel('Describe picture 2').fill('From behind')
  await page.reload()
  await sees(page.getByRole('img', { name: 'From behind' }))
  assert.equal(
    await page.getByLabel('Name', { exact: true }).inputValue(),
    'Linen shirt',
    'a reload takes nothing away',
  )
  await button(page, 'Move picture 2 left').click()
  await becomes(() => page.evaluate('document.activeElement.getAttribute("aria-label")'), 'Move picture 1 right')
  await button(page, 'Save and publish').click()
  await sees(heading(page, 'Linen shirt'))
  await sees(page.getByText('Linen shirt is on sale.'))
  await becomes(async () => (await shown(fixture, 'linen-shirt'))?.price, 1200.5)
  const sold = await shown(fixture, 'linen-shirt')
  assert.deepEqual([sold.category, sold.stock, sold.description], ['Shirts', 4, 'Cool in summer.'])
  assert.deepEqual(
    sold.media.map(({ alt }: { alt: string }) => alt),
    ['From behind', ''],
  )

  // Two options fill the grid.
  await page.getByLabel('Add an option, such as Size').fill('Size')
  await page.keyboard.press('Enter')
  for (const value of ['S', 'M']) {
    await page.getByLabel('Add a value of Size').fill(value)
    await page.keyboard.press('Enter')
  }
  await page.getByLabel('Add another option').fill('Colour')
  await button(page, 'Add option').click()
  // The next thing to type is a value, and several can be typed or pasted at once.
  await becomes(() => page.evaluate('document.activeElement.getAttribute("aria-label")'), 'Add a value of Colour')
  await page.keyboard.insertText('Red, Blue')
  await page.keyboard.press('Enter')
  await sees(rowOf(page, 'M / Blue'))
  assert.equal(await cell(page, 'Price of M / Blue').inputValue(), '1200.5')
  assert.equal(
    await cell(page, 'Stock, Mumbai (Fort) of S / Red').inputValue(),
    '4',
    'the variant that was there keeps its stock',
  )
  await cell(page, 'Stock, Mumbai (Fort) of S / Red').focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.type('7')
  await page.keyboard.press('Enter')
  await page.keyboard.type('2')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.type('LS-M-RED')
  assert.equal(await cell(page, 'SKU of M / Red').inputValue(), 'LS-M-RED')
  await cell(page, 'Price of M / Blue').fill('much')
  await button(page, 'Save').click()
  await sees(page.getByText('Price of M / Blue: “much” is not a number.'))
  await cell(page, 'Price of M / Blue').fill('1300')
  await button(page, 'Picture of M / Blue').click()
  await page.getByRole('dialog').getByRole('radio', { name: 'From behind' }).check()
  await button(page, 'Use this picture').click()
  await button(page, 'Save').click()
  await sees(page.getByText('Saved.'))
  await becomes(async () => (await shown(fixture, 'linen-shirt')).variants.length, 4)
  const { variants } = await shown(fixture, 'linen-shirt')
  assert.deepEqual(
    variants.map((variant: { title: string; price: number; stock: number; sku: string; image: string }) => [
      ...[variant.title, variant.price, variant.stock, variant.sku, variant.image !== ''],
    ]),
    [
      ['S / Red', 1200.5, 4, '', false],
      ['S / Blue', 1200.5, 7, '', false],
      ['M / Red', 1200.5, 2, 'LS-M-RED', false],
      ['M / Blue', 1300, 0, '', true],
    ],
  )

  // Other words for an option and a value, and another price at one of the outlets.
  await button(page, /^Rename Size$/).click()
  const renaming = page.getByRole('dialog')
  await renaming.getByLabel('New name').fill('Colour')
  await button(renaming, 'Rename').click()
  await sees(renaming.getByText('There is Colour already.'))
  await renaming.getByLabel('New name').fill('Shirt size')
  await button(renaming, 'Rename').click()
  await button(page, 'Rename Shirt size S').click()
  await renaming.getByLabel('New name').fill('Small')
  await page.keyboard.press('Enter')
  await sees(rowOf(page, 'Small / Red'))
  // A value that is taken away and comes back is the same variant.
  await button(page, 'Remove Shirt size M').click()
  await page.getByLabel('Add a value of Shirt size').fill('M')
  await page.keyboard.press('Enter')
  assert.equal(await cell(page, 'SKU of M / Red').inputValue(), 'LS-M-RED')
  await page.getByLabel('Other prices at some outlets').check()
  const atBengaluru = cell(page, 'Price, Bengaluru (Indiranagar) of Small / Red')
  assert.equal(await atBengaluru.getAttribute('placeholder'), '1200.5')
  await atBengaluru.fill('1099')
  await context.setOffline(true)
  await button(page, 'Save').click()
  await sees(page.getByText('The service cannot be reached.'))
  assert.equal(await atBengaluru.inputValue(), '1099')
  await context.setOffline(false)
  await button(page, 'Save').click()
  await sees(page.getByText('Saved.'))
  const renamed = await shown(fixture, 'linen-shirt')
  const identity = ({ id, stock, sku }: { id: string; stock: number; sku: string }) => [id, stock, sku]
  assert.deepEqual(renamed.variants.map(identity), variants.map(identity), 'variants stay what they are')
  assert.deepEqual(
    renamed.variants.map(({ title }: { title: string }) => title),
    ['Small / Red', 'Small / Blue', 'M / Red', 'M / Blue'],
  )
  const product = await call(staff, fixture, `/products/${renamed.id}`)
  assert.deepEqual(Object.values(product.variants[0].prices), [1099])
  await page.getByLabel('Other prices at some outlets').uncheck()
  await button(page, 'Save').click()
  const prices = async () => Object.keys((await call(staff, fixture, `/products/${renamed.id}`)).variants[0].prices)
  await becomes(async () => (await prices()).length, 0)
  const expected = /status of 4\d\d|ERR_INTERNET_DISCONNECTED/
  assert.deepEqual(
    withoutRefusals(pageErrors).filter((text) => !expected.test(text)),
    [],
  )
})

browserTest('prices and stock are changed in the list, in bulk and by two editors', async (fixture) => {
  const owner = await staffWith(fixture, 'owner')
  const { page, context, open } = owner
  await open('products?q=comb')
  const price = cell(page, 'Price of Neem wood comb in INR')
  const stock = cell(page, 'Stock of Neem wood comb')
  await sees(price)
  // A failure keeps what was typed.
  await context.setOffline(true)
  await price.fill('275')
  await price.press('Enter')
  await sees(page.getByText('The service cannot be reached.'))
  assert.equal(await price.inputValue(), '275')
  await context.setOffline(false)
  await price.press('Enter')
  await sees(page.getByText('Saved'))
  assert.ok(await withinASecond(async () => (await shown(fixture, 'neem-wood-comb')).price === 275))
  await stock.fill('31')
  await page.getByRole('searchbox').focus()
  await sees(rowOf(page, 'Neem wood comb').getByText('Saved').nth(1))
  assert.ok(await withinASecond(async () => (await shown(fixture, 'neem-wood-comb')).stock === 31))

  // Prices of several products, and back.
  await open('products?q=chai')
  await sees(page.getByRole('table'))
  const before = await call(owner, fixture, '/products?q=chai')
  await page.getByLabel('Select all').check()
  await button(page, 'Change price').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Percent', { exact: true }).fill('12,5')
  await sees(dialog.getByText(/becomes/))
  await button(dialog, /^Change the prices of \d+ products$/).click()
  await sees(page.getByText(/^Prices of \d+ products raised by 12,5 %/))
  const raised = await call(owner, fixture, '/products?q=chai')
  type Item = { price: number; status: string }
  const pricesOf = ({ data }: { data: Item[] }) => data.map((item) => item.price)
  assert.deepEqual(
    pricesOf(raised),
    pricesOf(before).map((amount) => Math.round(amount * 112.5) / 100),
  )
  await button(page, 'Undo').click()
  await sees(page.getByText(/^Undone: Prices/))
  assert.deepEqual(pricesOf(await call(owner, fixture, '/products?q=chai')), pricesOf(before))

  // Archiving says how many, and can be undone.
  await page.getByLabel('Select all').check()
  await button(page, /^Archive$/).click()
  await button(dialog, /^Archive \d+ products$/).click()
  await sees(page.getByText(/^\d+ products archived/))
  await button(page, 'Undo').click()
  await sees(page.getByText(/^Undone/))
  const statusesOf = ({ data }: { data: Item[] }) => data.map(({ status }) => status)
  assert.deepEqual(statusesOf(await call(owner, fixture, '/products?q=chai')), statusesOf(before))

  // Two editors at once.
  const manager = await staffWith(fixture, 'manager')
  const { id } = (await call(owner, fixture, '/products?q=masala+dabba')).data[0]
  await open(`products/${id}`)
  await manager.open(`products/${id}`)
  await page.getByLabel('Name', { exact: true }).fill('Masala box')
  // Why it was not saved is in sight, although the form is long.
  await context.setOffline(true)
  await button(page, 'Save').click()
  const problem = page.getByText('The service cannot be reached.')
  await sees(problem)
  const { y = 0 } = (await problem.boundingBox()) ?? {}
  assert.ok(y > 0 && y < (page.viewportSize()?.height ?? 0), `the problem is at ${y}`)
  await context.setOffline(false)
  // A sale changes the product too, but no person has saved anything.
  const product = await call(owner, fixture, `/products/${id}`)
  const { id: variantId } = product.variants[0]
  const [outletId] = Object.keys(product.variants[0].stockByOutlet)
  const sell = () => call(owner, fixture, '/stock/adjust', { variantId, outletId, delta: -1, reason: 'Sold' })
  await sell()
  await button(page, 'Save').click()
  await sees(page.getByText('Saved.'))
  await page.getByLabel('Name', { exact: true }).fill('Masala tin')
  await sell()
  await manager.page.reload()
  await manager.page.getByLabel('Brand').fill('Asha Metals')
  await button(manager.page, 'Save').click()
  await sees(manager.page.getByText('Saved.'))
  await button(page, 'Save').click()
  const conflict = page.getByRole('dialog', { name: 'Saved by someone else in the meantime' })
  await sees(conflict.getByRole('cell', { name: 'Asha Metals' }))
  await sees(conflict.getByRole('row', { name: 'Brand Unchanged Asha Metals' }))
  await button(conflict, 'Save my changes').click()
  await sees(heading(page, 'Masala tin'))
  assert.equal(await page.getByLabel('Brand').inputValue(), 'Asha Metals')
  await button(page, /^Archive$/).click()
  await sees(page.getByText(/Its \d+ units stay in stock/))
  await button(page.getByRole('dialog'), 'Archive it').click()
  await sees(page.getByText('Masala tin is archived.'))
  await becomes(async () => (await shown(fixture, 'masala-dabba')).code, 'NOT_FOUND')
  await button(page, 'Undo').click()
  await becomes(async () => (await shown(fixture, 'masala-dabba')).name, 'Masala tin')
  await button(page, 'Duplicate').click()
  await sees(heading(page, 'Masala tin (copy)'))
})

browserTest('products fit every window, and those who may not change them see no inputs', async (fixture) => {
  for (const window of dialogWindows) {
    const owner = await staffWith(fixture, 'owner', window)
    const { page, open } = owner
    const name = JSON.stringify(window)
    await open('products')
    await sees(rowOf(page, 'Canvas tote bag'))
    await page.getByLabel('Select Canvas tote bag').check()
    await checkPage(page, `products ${name}`)
    await button(page, 'Change price').click()
    await sees(page.getByRole('dialog'))
    await checkPage(page, `bulk prices ${name}`)
    await open('products/new')
    await page
      .getByLabel('Add pictures', { exact: true })
      .locator('input')
      .setInputFiles([
        await png('front.png'),
        { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('no picture') },
      ])
    await sees(page.getByRole('img', { name: 'Picture 1' }))
    await checkPage(page, `a new product ${name}`)
    const { data } = await call(owner, fixture, '/products?q=kurta')
    await open(`products/${data[0].id}`)
    await sees(page.getByRole('region', { name: 'Variants' }))
    await page.getByLabel('Other prices at some outlets').check()
    await checkPage(page, `a product ${name}`)
    await button(page, /^Rename/)
      .first()
      .click()
    await sees(page.getByRole('dialog'))
    await checkPage(page, `renaming ${name}`)
    await page.keyboard.press('Escape')
    await button(page, 'Choose from uploaded pictures').click()
    await sees(page.getByRole('dialog').getByRole('checkbox'))
    await checkPage(page, `uploaded pictures ${name}`)
  }
  const viewer = await staffWith(fixture, 'viewer', windows[0])
  await viewer.open('products')
  await sees(rowOf(viewer.page, 'Canvas tote bag'))
  const inMain = viewer.page.getByRole('main')
  assert.equal(await inMain.getByRole('textbox').count(), 0)
  assert.equal(await inMain.getByRole('checkbox').count(), 0)
  assert.equal(await inMain.getByRole('link', { name: 'Add a product' }).count(), 0)
  await inMain.getByRole('link', { name: 'Canvas tote bag' }).first().click()
  await sees(heading(viewer.page, 'Canvas tote bag'))
  await sees(inMain.getByRole('table'))
  assert.equal(await inMain.getByRole('textbox').count(), 0)
  assert.equal(await inMain.getByRole('button').count(), 0)
  await checkPage(viewer.page, 'a product for a viewer')
})
