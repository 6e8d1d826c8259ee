import { getTokenPosOfNode, isAsExpression, type Node } from 'typescript/unstable/ast'
import { lineOf, readProject } from './compiler.ts'

/** Where files say `as X`. `as const` is no cast. Their own project loads no other file, since nothing is checked. */
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
