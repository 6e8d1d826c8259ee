import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, matchesGlob, resolve } from 'node:path'
import { suite } from 'node:test'
import { pathToFileURL } from 'node:url'

/**
 * Test files of one area share a process. Loading the service takes a second of processor time and its code is slow
 * until the engine has optimized it, so most files would spend more on starting than on testing. Files that measure
 * time or need a fresh process run alone.
 */
const areas: Record<string, { files: string; maxFiles: number; isAsync?: boolean }> = {
  // In the order in which they run. Groups that take longest come first, so that no core is idle at the end.
  cli: { files: 'src/{cli,demo-shop}/**', maxFiles: 5 },
  browser: { files: 'test/browser/*.test.ts', maxFiles: 8 },
  contract: { files: 'test/{hostile-*,matrix*,invoke*}.test.ts', maxFiles: 6 },
  // They record the same statements, once for all of them.
  statements: { files: 'test/statements/*.test.ts', maxFiles: 8, isAsync: true },
  features: { files: 'src/features/**', maxFiles: 10 },
  client: { files: 'test/sdk*.test.ts', maxFiles: 8 },
  model: { files: 'test/model/*.test.ts', maxFiles: 8 },
  base: { files: 'src/{{core,http,jobs,providers}/**,*.test.ts,db/*.test.ts}', maxFiles: 16 },
  text: {
    files: 'test/{contract-*,demo-parts,dependencies,document-*,domain-*,generated,guide*,styles}.test.ts',
    maxFiles: 10,
  },
}
const alone = ['src/db/embedded.test.ts', 'test/hostile-sockets.test.ts', 'test/sdk-{docs,package}.test.ts']

const areaOf = (file: string) =>
  alone.some((glob) => matchesGlob(file, glob))
    ? undefined
    : Object.keys(areas).find((name) => matchesGlob(file, areas[name]?.files ?? ''))

/** Tests of buying run once more with each provider: `all` of them, or a part (`boughtAtDoubles`). */
type Doubles = 'all' | 'part' | 'none'

/** The files to run: those that run alone, and for each group one that runs its members. */
export const groupFiles = (files: readonly string[], folder: string, doubles: Doubles): string[] => {
  const groups = Object.entries(areas).flatMap(([name, { maxFiles, isAsync }]) => {
    const members = files.filter((file) => areaOf(file) === name)
    const write = isAsync ? writeImports : writeGroup
    return chunk(members, maxFiles).map((part, i) => write(join(folder, `${name}-${i + 1}.test.mjs`), part))
  })
  const atDoubles = doubles === 'none' ? [] : groupsAtDoubles(files, folder, doubles)
  return [...files.filter((file) => areaOf(file) === undefined), ...atDoubles, ...groups]
}

/**
 * Tests of buying, which run with payment providers and not only with the sandbox. The first ones depend on what a
 * provider does. The others hardly do, so each of them runs with one, and in `npm run test:long` with all.
 */
const boughtAtDoubles: Record<string, readonly string[]> = {
  checkout: ['stripe', 'razorpay', 'juspay'],
  'stock-races': ['stripe', 'razorpay', 'juspay'],
  'buying-limits': ['stripe'],
  coupons: ['razorpay'],
  untracked: ['juspay'],
}

const groupsAtDoubles = (files: readonly string[], folder: string, doubles: Doubles): string[] =>
  ['stripe', 'razorpay', 'juspay'].flatMap((name) => {
    const members = files.filter((file) => {
      const providers = boughtAtDoubles[/^src\/features\/checkout\/([\w-]+)\.test\.ts$/.exec(file)?.[1] ?? '']
      return doubles === 'all' ? providers !== undefined : providers?.includes(name)
    })
    return members.length === 0 ? [] : [writeGroup(join(folder, `checkout-with-${name}.test.mjs`), members, name)]
  })

/** Groups of equal size, small enough that all cores are busy to the end. */
const chunk = (files: readonly string[], maxFiles: number): string[][] => {
  const count = Math.ceil(files.length / maxFiles)
  const size = Math.ceil(files.length / count)
  return Array.from({ length: count }, (_, i) => files.slice(i * size, (i + 1) * size))
}

const writeGroup = (path: string, files: readonly string[], double?: string) => {
  const url = JSON.stringify(import.meta.url)
  const values = [files, double].map((value) => JSON.stringify(value)).join(', ')
  writeFileSync(path, `import { runGroup } from ${url}\nrunGroup(${values})\n`)
  return path
}

/** For files that wait while they load, which no suite can do. Their hooks are those of the group. */
const writeImports = (path: string, files: readonly string[]) => {
  writeFileSync(path, files.map((file) => `import ${JSON.stringify(pathToFileURL(resolve(file)).href)}\n`).join(''))
  return path
}

/** Each file is a suite, so that its hooks are its own. A suite begins at once, hence require and not import. */
export const runGroup = (files: readonly string[], double?: string) => {
  const require = createRequire(import.meta.url)
  if (double !== undefined) process.env.TEST_DOUBLE = double
  for (const file of files) {
    suite(double === undefined ? file : `${file} with ${double}`, () => void require(resolve(file)))
  }
}
