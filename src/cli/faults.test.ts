import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { assertSentence, newDatabase, newFolder, productionSettings, query, runJson, runVitrine } from './fixture.ts'
import { runProgram } from './program.ts'

type Fault = [command: readonly string[], message: RegExp]

const vitrine = (args: readonly string[]) => runProgram(['node', 'vitrine', ...args])

/** A hash of all rows of all tables. */
const fingerprint = async (url: string) => {
  const tables = await query(url, "select tablename as name from pg_tables where schemaname = 'public' order by 1")
  const sums = tables.map(({ name }) => `(select md5(string_agg(x::text, ',' order by x::text)) from "${name}" x)`)
  assert.ok(sums.length > 5)
  return JSON.stringify(await query(url, `select concat_ws(' ', ${sums.join(', ')})`))
}

/** Runs the commands in this process: dozens of them take a second. */
const assertNothingHappens = async (t: TestContext, url: string, faults: readonly Fault[]) => {
  process.env.DATABASE_URL = url
  t.after(() => delete process.env.DATABASE_URL)
  const before = await fingerprint(url)
  for (const [command, message] of faults) {
    await assert.rejects(vitrine(command), { name: 'OperatorError', message }, command.join(' '))
  }
  assert.equal(await fingerprint(url), before)
}

test('a command that fails says why in one sentence, and changes nothing', async (t) => {
  const DATABASE_URL = await newDatabase(t, { migrated: true })
  const settings = { DATABASE_URL, VITRINE_DATA_DIR: newFolder(t) }
  const demo = await runJson(['seed', 'demo'], settings)
  const refuses = (name: string, faults: readonly Fault[]) =>
    t.test(name, (t) => assertNothingHappens(t, DATABASE_URL, faults))

  await t.test('printed without a stack, with exit code 1; with --json as an object', async () => {
    const command = ['store', 'set', '--timezone', 'Mars/Base']
    assertSentence(
      await runVitrine(command, settings),
      'Mars/Base is not a valid time zone. Use a name such as Asia/Kolkata.',
    )
    const { code, stdout, stderr } = await runVitrine([...command, '--json'], settings)
    assert.deepEqual([code, stdout], [1, ''])
    assert.deepEqual(JSON.parse(stderr), {
      error: 'Mars/Base is not a valid time zone. Use a name such as Asia/Kolkata.',
    })
  })

  const create = (change: Record<string, string>) => [
    ...['store', 'create'],
    ...Object.entries({ name: 'Shop', domain: 'shop.example', currency: 'INR', ...change }).flatMap(([name, value]) => [
      `--${name}`,
      value,
    ]),
  ]
  await refuses('a store with settings that make no sense', [
    [create({ currency: 'XYQ' }), /^XYQ is not an ISO 4217 currency code/],
    [create({ currency: 'inr' }), /^inr is not an ISO 4217 currency code, such as INR/],
    [create({ locale: 'en_' }), /^en_ is not a valid locale/],
    [create({ timezone: 'Mars/Base' }), /not a valid time zone/],
    [create({ name: ' ' }), /must not be empty/],
    [create({ outlet: '' }), /must not be empty/],
    [create({ domain: '' }), /^"" is not a valid domain/],
    [create({ domain: 'ftp://shop.example' }), /^"ftp:\/\/shop\.example" is not a valid domain/],
    [create({ domain: 'shop.example/path' }), /^"shop\.example\/path" is not a valid domain/],
    [create({ origin: 'https://shop.example/path' }), /is not a valid origin/],
    [['store', 'set', '--name', ''], /must not be empty/],
    [['store', 'set', '--domain', 'a b'], /^"a b" is not a valid domain/],
    [['store', 'set', '--locale', 'x'], /is not a valid locale/],
    [['store', 'set', '--shipping-flat', '1.234'], /^--shipping-flat must be an amount in INR, not "1\.234"/],
    [['store', 'set', '--shipping-flat=-5'], /must be an amount in INR/],
    [['store', 'set', '--shipping-free-above', 'always'], /^--shipping-free-above must be an amount/],
    [['store', 'set', '--tax-included', 'maybe'], /^--tax-included must be yes or no, not "maybe"/],
    [['store', 'set', '--otp-hourly-cap', '0'], /^--otp-hourly-cap must be a whole number from 1 to \d+, not "0"/],
    [['store', 'set', '--otp-client-limit', 'none'], /^--otp-client-limit must be a whole number from 1 to \d+/],
    [['store', 'set', '--otp-countries', 'IN,Narnia'], /^"NARNIA" is not an ISO 3166 country code/],
    [['store', 'set', '--otp-countries', ''], /^"" is not an ISO 3166 country code/],
    [['outlet', 'create', '--name', ' '], /must not be empty/],
  ])

  const key = (...options: string[]) => ['key', 'create', ...options]
  await refuses('a key with scopes, limits or times that make no sense', [
    [key('--scopes', 'products:read,nope'), /^There is no scope "nope"\. Valid scopes: products:read, /],
    [key('--scopes', ''), /^There is no scope ""/],
    [key('--rate-limit', '0'), /^--rate-limit must be a whole number from 1 to \d+, not "0"/],
    [key('--rate-limit', 'abc'), /not "abc"/],
    [key('--rate-limit', '1.5'), /not "1\.5"/],
    [key('--rate-limit=-1'), /not "-1"/],
    [key('--expires', 'tomorrow'), /^--expires must be a time such as .+, not "tomorrow"/],
    [key('--expires', '2999-02-30'), /not "2999-02-30"/],
    [key('--expires', '2999-01-31T25:00:00Z'), /not "2999-01-31T25:00:00Z"/],
    [key('--expires', '2001-01-31'), /^--expires must be in the future, not "2001-01-31"/],
    [['key', 'set', 'key_nope', '--rate-limit', '5'], /^There is no key key_nope\. "vitrine key list" shows the keys/],
    [['key', 'set', 'key_nope', '--rate-limit', '0'], /^--rate-limit must be a whole number from 1 to \d+, not "0"/],
    [['key', 'revoke', 'key_nope'], /^There is no key key_nope\. "vitrine key list" shows the keys/],
  ])

  await refuses('an origin that no browser would send', [
    [['origin', 'add', 'https://shop.example/path'], /^"https:\/\/shop\.example\/path" is not a valid origin/],
    [['origin', 'add', 'https://shop.example/?a=b'], /is not a valid origin/],
    [['origin', 'add', 'https://me@shop.example'], /is not a valid origin/],
    [['origin', 'add', 'https://*.shop.example'], /is not a valid origin/],
    [['origin', 'add', 'shop.example'], /is not a valid origin/],
    [['origin', 'add', 'null'], /is not a valid origin/],
    [['origin', 'remove', 'https://other.example'], /^https:\/\/other\.example is not on the allowlist/],
    [
      ['webhook-credential', 'rotate', '--kind', 'payment', '--overlap', '-1'],
      /^--overlap must be a whole number from 0/,
    ],
  ])

  const stock = (product: string, ...options: string[]) => ['stock', 'set', '--product', product, ...options]
  await refuses('stock of nothing, nowhere or less than none', [
    [stock('cane-pendant-lamp', '--quantity=-99999'), /^Cannot reduce the stock by 99999: only \d+ available/],
    [
      stock('three-tier-tiffin', '--quantity', '+1000000000'),
      /^The stock of a variant is limited to 1000000000 units\./,
    ],
    [
      stock('cane-pendant-lamp', '--quantity', '+1.5'),
      /^--quantity must be a whole number from 0 to \d+, not "\+1\.5"/,
    ],
    [stock('cane-pendant-lamp', '--quantity', '--5'), /not "--5"/],
    [['stock', 'set', '--quantity', '5'], /^Name the variant with --variant \(id or SKU\) or --product\./],
    [['stock', 'set', '--variant', 'NOPE', '--quantity', '5'], /^The store has no variant with the id or SKU NOPE\./],
    [stock('cane-pendant-lamp', '--quantity', '1.5'), /not "1\.5"/],
    [stock('cane-pendant-lamp', '--quantity', '1', '--outlet', 'outlet_nope'), /^The store has no outlet outlet_nope/],
    [stock('nope', '--quantity', '1'), /^The store has no product nope\./],
    [stock('extended-lamp', '--quantity', '1'), /^The store has no product extended-lamp\./],
    [stock('timeout-terminated', '--quantity', '1'), /^The store has no product timeout-terminated\./],
    [stock('cane-pendant-lamp', '--quantity', '1', '--variant', 'var_nope'), /with a variant var_nope/],
    [
      stock('cafe-au-lait-mug', '--quantity', '1'),
      /several variants\. Name one with --variant: var_\w+ \(Oat\), var_\w+ \(Indigo\)\./,
    ],
  ])

  const coupon = (...options: string[]) => ['coupon', 'create', '--code', 'NEW', ...options]
  await refuses('an invalid coupon', [
    [coupon(), /^Set the discount with either --percent or --fixed, not both\./],
    [coupon('--percent', '5', '--fixed', '5'), /either --percent or --fixed/],
    [coupon('--percent', 'ten'), /^--percent must be a number such as 10 or 12\.5, not "ten"/],
    [coupon('--percent', '0'), /^0 is not a valid percentage/],
    [coupon('--percent=-5'), /not "-5"/],
    [coupon('--percent', '101'), /^101 is not a valid percentage/],
    [coupon('--fixed', '0'), /^A fixed discount must be greater than zero/],
    [coupon('--fixed', '1.234'), /^A fixed discount must be an amount in INR, not 1\.234/],
    [coupon('--fixed', ''), /^--fixed must be a number such as 10 or 12\.5, not ""/],
    [coupon('--percent', '5', '--min-subtotal', 'x'), /^--min-subtotal must be a number such as 10 or 12\.5, not "x"/],
    [coupon('--percent', '5', '--limit', '0'), /^--limit must be a whole number from 1 to \d+, not "0"/],
    [coupon('--percent', '5', '--per-customer', '1.5'), /^--per-customer must be a whole number/],
    [coupon('--percent', '5', '--ends', '2999-02-30'), /^--ends must be a time such as .+ or a day, not "2999-02-30"/],
    [coupon('--percent', '5', '--starts', 'soon'), /^--starts must be a time such as .+ or a day, not "soon"/],
    [coupon('--percent', '5', '--starts', '2027-01-02', '--ends', '2027-01-01'), /^A coupon must end after it starts/],
    [coupon('--percent', '5', '--category', 'Home > Cellar'), /^The store has no category "Home > Cellar"\. Use an id/],
    [coupon('--percent', '5', '--product', 'nope'), /^The store has no product "nope"\. Use an id or a slug/],
    [['coupon', 'create', '--code', 'a b', '--percent', '5'], /^"a b" is not a valid coupon code/i],
    [['coupon', 'create', '--code', 'welcome10', '--percent', '5'], /^The store already has a coupon WELCOME10\./],
  ])

  const folder = newFolder(t)
  const menu = (name: string, content: string) => {
    writeFileSync(join(folder, name), content)
    return ['menu', 'set', join(folder, name)]
  }
  const entry = (children?: unknown) => ({ label: 'A', type: 'page', target: 'a', children })
  await refuses('a menu file that is missing, broken, of the wrong shape or too deep', [
    [['menu', 'set', join(folder, 'none.json')], /none\.json cannot be read as JSON: ENOENT/],
    [menu('broken.json', '{"items": ['), /broken\.json cannot be read as JSON: /],
    [menu('null.json', 'null'), /items must be a list\./],
    [menu('number.json', '{"items": 3}'), /items must be a list\./],
    [menu('label.json', '[{"type":"page","target":"a"}]'), /items\[0\]\.label must be a text\./],
    [menu('target.json', '[{"label":"A","type":"page","target":7}]'), /items\[0\]\.target must be a text\./],
    [
      menu('type.json', '[{"label":"A","type":"shop","target":"a"}]'),
      /items\[0\]\.type must be one of category, product.* not "shop"/,
    ],
    [menu('list.json', JSON.stringify([entry('B')])), /items\[0\]\.children must be a list\./],
    [menu('deep.json', JSON.stringify([entry([entry([entry([entry()])])])])), /at most 3 levels/],
  ])

  const hidden = ['javascript:alert(1)', 'JavaScript:alert(1)', ' javascript:alert(1)', 'java\tscript:alert(1)']
  const unsafe = [...hidden, '\x01javascript:x', 'java\nscript:x', 'data:text/html,x', 'vbscript:x', 'https:x', 'a\0b']
  await refuses(
    'a menu whose target would run a script, with the name of the entry',
    ['link', 'page'].flatMap((type) =>
      unsafe.map(
        (target, i): Fault => [
          menu(
            `unsafe-${type}-${i}.json`,
            JSON.stringify([entry(), { ...entry(), children: [{ ...entry(), type, target, label: 'Win' }] }]),
          ),
          /^items\[1\]\.children\[0\]\.target of "Win" must be a name, a path, or an address/,
        ],
      ),
    ),
  )

  const other = await runJson(create({}), settings)
  const unnamed: Fault[] = [
    ['store', 'show'],
    ['store', 'set', '--name', 'New'],
    ['outlet', 'create', '--name', 'New'],
    key(),
    ['key', 'list'],
    ['origin', 'add', 'https://shop.example'],
    menu('good.json', '[]'),
    stock('cane-pendant-lamp', '--quantity', '1'),
    coupon('--percent', '5'),
    ['coupon', 'list'],
    ['coupon', 'stop', 'WELCOME10'],
    ['store', 'close'],
    ['store', 'open'],
    ['origin', 'list'],
    ['origin', 'remove', 'https://shop.example'],
    ['webhook-credential', 'rotate', '--kind', 'logistics'],
  ].map((command) => [command, new RegExp(`^There are 2 stores\\. Name one with --store: .*${demo.storeId} \\(Kavya`)])
  await refuses('a store that is not named when there are two', unnamed)
  const unknown = unnamed.map(([command]): Fault => [[...command, '--store', 'nope'], /^There is no store nope\./])
  await refuses('a store that does not exist', unknown)
  await refuses('a product or an outlet of another store', [
    [
      [...stock('cane-pendant-lamp', '--quantity', '1'), '--store', other.storeId],
      /^The store has no product cane-pendant-lamp\./,
    ],
    [
      [...stock('cane-pendant-lamp', '--quantity', '1', '--outlet', other.outletId), '--store', demo.storeId],
      /^The store has no outlet outlet_/,
    ],
  ])
})

test('without any store, a command says how to create one', async (t) => {
  const url = await newDatabase(t)
  await runVitrine(['migrate'], { DATABASE_URL: url, VITRINE_DATA_DIR: newFolder(t) })
  await assertNothingHappens(t, url, [
    [['key', 'list'], /^There is no store yet\. Create one with "vitrine store create"/],
  ])
})

test('seed demo fails in production', async (t) => {
  const settings = { ...productionSettings, DATABASE_URL: await newDatabase(t), VITRINE_SECRET: 's'.repeat(32) }
  const ended = await runVitrine(['seed', 'demo'], settings)
  assertSentence(ended, 'cannot be created in production')
})

test('a command that opens the database itself words an outage like the others, with the cause', async (t) => {
  const settings = { DATABASE_URL: await newDatabase(t, { migrated: true }), VITRINE_DATA_DIR: newFolder(t) }
  await query(
    settings.DATABASE_URL,
    `create function fail_full() returns boolean stable language plpgsql as
      $$ begin raise exception 'No space left on device' using errcode = 'disk_full'; end $$`,
  )
  const outage = /right now\. .*\(No space left on device\)/
  await breakTable(settings.DATABASE_URL, 'shared_file')
  for (const command of ['start', 'migrate']) assertSentence(await runVitrine([command], settings), outage)
  await breakTable(settings.DATABASE_URL, 'product')
  const { code, stdout } = await runVitrine(['doctor'], settings)
  assert.equal(code, 1)
  assert.match(stdout, /^FAULT {4}database /m)
  assert.match(stdout, outage)
})

/** Every statement that reads the table fails as on a full disk. */
const breakTable = async (url: string, table: string) => {
  await query(url, `alter table ${table} rename to ${table}_kept`)
  await query(url, `create view ${table} as select * from ${table}_kept where fail_full()`)
}
