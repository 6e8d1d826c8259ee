import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { SourceFile } from 'typescript/unstable/ast'
import { API, type Checker } from 'typescript/unstable/sync'

export const root = fileURLToPath(new URL('../', import.meta.url))

export type ParsedFile = { path: string; file: SourceFile; checker: Checker }

/**
 * Reads the files of a project that match a pattern, as the compiler sees them. TypeScript 7 calls this API unstable, so
 * a new version may need a change here and in the few files that import from `typescript/unstable`.
 */
export const readProject = <Result>(config: string, pattern: string, read: (file: ParsedFile) => Result): Result[] => {
  const api = new API({ cwd: root })
  try {
    const [project] = api.updateSnapshot({ openProjects: [root + config] }).getProjects()
    assert.ok(project, `${config} is no project`)
    const { program, checker } = project
    return globSync(pattern, { cwd: root })
      .sort()
      .map((path) => {
        const file = program.getSourceFile(root + path)
        assert.ok(file, `${path} is not part of ${config}`)
        return read({ path, file, checker })
      })
  } finally {
    api.close()
  }
}

export const lineOf = (file: SourceFile, position: number) => file.text.slice(0, position).split('\n').length
