import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, matchesGlob, resolve } from 'node:path'
import { suite } from 'node:test'

/**
 * Test files of one folder share a process. Loading the service takes a second of processor time and its code is slow
 * until it is compiled, so that most files spent more on starting than on testing. Files that start programs, measure
 * time or change the process keep one of their own.
 */
const grouped = [
  'src/{core,features,http,jobs,providers}/**',
  'src/*.test.ts',
  'src/db/*.test.ts',
  'test/{hostile-*,matrix*,sdk*}.test.ts',
  'test/model/*.test.ts',
  'test/browser/*.test.ts',
]
const alone = ['src/db/embedded.test.ts', 'test/hostile-sockets.test.ts', 'test/sdk-{docs,package}.test.ts']

/** Small enough that the groups keep all cores busy to the end. */
const mostInAGroup = 8

/** The files to run: those that run alone, and for each group one that runs its members. */
export const groupFiles = (files: readonly string[], folder: string): string[] => {
  const isGrouped = (file: string) =>
    grouped.some((glob) => matchesGlob(file, glob)) && !alone.some((glob) => matchesGlob(file, glob))
  const byFolder = Object.groupBy(files.filter(isGrouped), dirname)
  const groups = Object.entries(byFolder).flatMap(([name, members = []]) =>
    chunk(members).map((part, i) => writeGroup(join(folder, `${name.replaceAll('/', '-')}-${i + 1}.test.mjs`), part)),
  )
  return [...groups, ...files.filter((file) => !isGrouped(file))]
}

const chunk = (files: readonly string[]): string[][] => {
  const count = Math.ceil(files.length / mostInAGroup)
  const size = Math.ceil(files.length / count)
  return Array.from({ length: count }, (_, i) => files.slice(i * size, (i + 1) * size))
}

const writeGroup = (path: string, files: readonly string[]) => {
  const url = JSON.stringify(import.meta.url)
  writeFileSync(path, `import { runGroup } from ${url}\nrunGroup(${JSON.stringify(files)})\n`)
  return path
}

/** Each file is a suite, so that its hooks are its own. A suite begins at once, hence require and not import. */
export const runGroup = (files: readonly string[]) => {
  const require = createRequire(import.meta.url)
  for (const file of files) suite(file, () => void require(resolve(file)))
}
