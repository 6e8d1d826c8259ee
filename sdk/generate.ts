import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { writeAdminOperations } from './generate/admin-operations.ts'
import { writeOperations } from './generate/operations.ts'
import { writeAdminTypes, writeTypes } from './generate/types.ts'

/** The generated files of the client by path, from the contract of the service. */
export const generate = (): Record<string, string> => ({
  'src/types.ts': formatted('src/types.ts', writeTypes()),
  'src/operations.ts': formatted('src/operations.ts', writeOperations()),
  'src/admin-types.ts': formatted('src/admin-types.ts', writeAdminTypes()),
  'src/admin-operations.ts': formatted('src/admin-operations.ts', writeAdminOperations()),
})

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))

const formatted = (path: string, input: string) =>
  execFileSync(pathOf('../node_modules/.bin/biome'), ['check', '--write', `--stdin-file-path=${pathOf(path)}`], {
    input,
    encoding: 'utf8',
  })
