import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

const help = `npm run bench:smoke

Runs every bench of package.json with --smoke, one after the other, and fails when one of them does. A bench that is
added there joins by itself. Needs wrk and pgbench.`

const { values } = parseArgs({
  options: { help: { type: 'boolean', default: false } },
})

const print = (text: string) => void process.stdout.write(`${text}\n`)

const main = () => {
  if (values.help) return print(help)
  const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  const benches = Object.keys(scripts).filter((name) => /^bench(:|$)/.test(name) && name !== 'bench:smoke')
  for (const name of benches) {
    const began = performance.now()
    print(`\n-- npm run ${name} -- --smoke`)
    const { status } = spawnSync('npm', ['run', '--silent', name, '--', '--smoke'], { stdio: 'inherit' })
    if (status !== 0) throw new Error(`npm run ${name} -- --smoke ended with ${status}.`)
    print(`-- ${((performance.now() - began) / 1000).toFixed(1)} s`)
  }
}

main()
