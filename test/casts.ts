import { getTokenPosOfNode, isAsExpression, type Node } from 'typescript/unstable/ast'
import { lineOf, readProject } from './compiler.ts'

/** Finds casts (`as X`, not `as const`). The project loads no other files, because nothing is type-checked. */
export const listCasts = (pattern: string): string[] =>
  readProject('test/casts.tsconfig.json', pattern, ({ path, file }) => {
    const casts: string[] = []
    const visit = (node: Node): void => {
      if (isAsExpression(node)) {
        const type = file.text.slice(getTokenPosOfNode(node.type, file), node.type.end)
        if (type !== 'const') casts.push(`${path}:${lineOf(file, node.type.pos)} as ${type}`)
      }
      node.forEachChild(visit)
    }
    visit(file)
    return casts
  }).flat()
