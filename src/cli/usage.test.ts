import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Command } from 'commander'
import { runProcess, runVitrine } from './fixture.ts'
import { createProgram } from './program.ts'

/** The commands that can be run, by their full names. */
const listCommands = (command: Command, path: readonly string[] = []): [name: string, command: Command][] =>
  command.commands.length === 0
    ? [[path.join(' '), command]]
    : command.commands.flatMap((child) => listCommands(child, [...path, child.name()]))

const helpOf = (command: Command) => {
  let text = ''
  const writeOut = (part: string) => {
    text += part
  }
  command.configureOutput({ writeOut }).outputHelp()
  return text
}

const commands = listCommands(createProgram())

test('the help of every command has a description, all options, and a valid example', () => {
  for (const [name, command] of commands) {
    const help = helpOf(command)
    assert.ok(command.description().length > 10, name)
    assert.ok(help.includes(`Usage: vitrine ${name}`), help)
    assert.ok(help.replaceAll(/\s+/g, ' ').includes(command.description()), help)
    for (const { long, description } of command.options) assert.ok(description !== '', `${name} ${long}`)
    const [, example = ''] = /\nExamples?:\n((?: {2}.+\n)+)/.exec(help) ?? []
    assert.match(example, new RegExp(`\\bvitrine ${name}\\b`), help)
    for (const [option] of example.matchAll(/--[a-z-]+/g)) {
      assert.ok(
        command.options.some(({ long }) => long === option),
        `${name} has no ${option}`,
      )
    }
  }
})

test('all documented commands exist, and all but start and openapi have --json', () => {
  const promised =
    'start|migrate|seed demo|store create|store show|store set|outlet create|key create|key list|key revoke|' +
    'origin add|menu set|stock set|catalog import|catalog export|coupon create|coupon list|order list|order show|order ship|' +
    'order cancel|order refund|order deliver|coupon stop|key set|origin list|origin remove|store close|store open|' +
    'webhook-credential rotate|simulate payment|simulate delivery|inbox list|inbox replay|doctor|openapi'
  const names = commands.map(([name]) => name)
  for (const name of promised.split('|')) assert.ok(names.includes(name), name)
  const withoutJson = commands.filter(([, { options }]) => !options.some(({ long }) => long === '--json'))
  assert.deepEqual(
    withoutJson.map(([name]) => name),
    ['start', 'openapi'],
  )
})

test('--help and --version exit with 0 without a valid configuration', async () => {
  const broken = { DATABASE_URL: 'nonsense', VITRINE_DATA_DIR: '/nowhere' }
  const [help, version] = await Promise.all([
    runProcess(['key', 'create', '--help'], broken),
    runProcess(['--version'], broken),
  ])
  assert.deepEqual([help.code, help.stderr, version.code], [0, '', 0])
  assert.match(help.stdout, /--rate-limit <n>[\s\S]+Example:\n {2}vitrine key create/)
  assert.match(version.stdout, /^\d+\.\d+\.\d+\n$/)
})

test('invalid usage prints a helpful message and exits with 2', async () => {
  const faults: [args: string[], message: RegExp][] = [
    [['stat'], /unknown command 'stat'\n\(Did you mean start\?\)/],
    [['key', 'create', '--rate-limits', '5'], /unknown option '--rate-limits'\n\(Did you mean --rate-limit\?\)/],
    [['key', 'revoke'], /missing required argument 'id'/],
    [['store', 'create', '--name', 'Shop'], /required option '--domain <domain>' not specified/],
    [['store'], /Usage: vitrine store/],
  ]
  await Promise.all(
    faults.map(async ([args, message]) => {
      const { code, stdout, stderr } = await runVitrine(args, { VITRINE_DATA_DIR: '/nowhere' })
      assert.deepEqual([code, stdout], [2, ''], stderr)
      assert.match(stderr, message)
      assert.doesNotMatch(stderr, / at .*:\d+:\d+/)
      assert.match(stderr, /--help/)
    }),
  )
})
