import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { promisify } from 'node:util'

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
const benches = Object.keys(scripts).filter((name) => /^bench(:|$)/.test(name))

const helps = new Map<string, Promise<string>>()

/** Documents name a bench several times, and each process takes half a second of processor time. */
const helpOf = (script: string) => {
  const known = helps.get(script) ?? printHelp(script)
  helps.set(script, known)
  return known
}

const printHelp = async (script: string) => {
  const [, file = ''] = /^exec node (\S+)$/.exec(scripts[script] ?? '') ?? []
  return (await promisify(execFile)(process.execPath, [file, '--help'])).stdout
}

test('every bench has --help and --smoke', async () => {
  for (const name of benches) {
    const help = await helpOf(name)
    assert.match(help, new RegExp(`npm run ${name}\\b`), `${name} --help shows how it is called`)
    assert.match(help, /--smoke/, `${name} has --smoke`)
  }
})

test('.ci/run runs the smoke form of every bench', () => {
  assert.match(readFileSync('.ci/run', 'utf8'), /^npm run bench:smoke$/m)
})

test('every option of a bench that a document names exists', async () => {
  const called = /npm run (bench[:\w]*) -- ((?:[^`]|\n)*?)`/g
  for (const document of ['README.md', 'CONTRIBUTING.md', 'docs/benchmarks.md', 'docs/query-plans.md']) {
    for (const [, name = '', options = ''] of readFileSync(document, 'utf8').matchAll(called)) {
      const help = await helpOf(name)
      for (const [option] of options.matchAll(/--[a-z-]+/g)) {
        assert.ok(help.includes(option), `${document}: npm run ${name} has no ${option}`)
      }
    }
  }
})
