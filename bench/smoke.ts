import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'

const help = `npm run bench:smoke

Runs every bench of package.json with --smoke, two at a time, and fails when one of them does. A bench that is added
there joins by itself. Needs wrk and pgbench.`

const { values } = parseArgs({
  options: { help: { type: 'boolean', default: false } },
})

const print = (text: string) => void process.stdout.write(`${text}\n`)

const main = async () => {
  if (values.help) return print(help)
  const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  const benches = Object.keys(scripts).filter((name) => /^bench(:|$)/.test(name) && name !== 'bench:smoke')
  // A bench often waits for its service to start, and the figures of a smoke run mean nothing.
  const runNext = async () => {
    for (let name = benches.shift(); name !== undefined; name = benches.shift()) await runBench(name)
  }
  await Promise.all([runNext(), runNext()])
}

/** Prints at the end what the bench has printed, so that two of them do not mix. */
const runBench = async (name: string) => {
  const began = performance.now()
  const command = `npm run --silent ${name} -- --smoke 2>&1`
  const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'inherit'] })
  const [[status], output] = await Promise.all([once(child, 'close'), text(child.stdout)])
  print(`\n-- npm run ${name} -- --smoke\n${output}-- ${((performance.now() - began) / 1000).toFixed(1)} s`)
  if (status !== 0) {
    process.exitCode = 1
    print(`-- npm run ${name} -- --smoke ended with ${status}`)
  }
}

await main()
