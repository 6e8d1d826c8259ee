import assert from 'node:assert/strict'
import {
  getTokenPosOfNode,
  isPropertyAccessExpression,
  isTaggedTemplateExpression,
  type Node,
  type SourceFile,
} from 'typescript/unstable/ast'
import {
  type Checker,
  SignatureKind,
  SymbolFlags,
  type Symbol as TsSymbol,
  type Type,
  TypeFlags,
} from 'typescript/unstable/sync'
import { lineOf, readProject } from '../compiler.ts'
import type { Field, Shape } from './shape.ts'

/** The declarations of a *.sql.ts file, read with the compiler. */
export type SqlFile = { path: string; functions: SqlFunction[]; snapshots: SqlFunction[]; callSites: CallSite[] }

/** An exported function that is handed a database, or makes a part of a statement: a `Snapshot`. */
export type SqlFunction = { name: string; parameters: Shape[]; isSnapshot: boolean }

/** Where a statement is sent: `db.many<Row>` and its like. `row` is undefined where no row type is declared. */
export type CallSite = { path: string; line: number; method: Method; row: Shape | undefined }

const methods = ['many', 'one', 'maybeOne', 'run'] as const
export type Method = (typeof methods)[number]
const methodOf = (name: string) => methods.find((method) => method === name)

/** The *.sql.ts files of the service, or those that match a pattern and belong to another project. */
export const readSqlFiles = (pattern = 'src/**/*.sql.ts', config = 'tsconfig.build.json'): SqlFile[] =>
  readProject(config, pattern, ({ path, file, checker }) => {
    const reader = createReader(checker)
    const exported = reader.functionsOf(file)
    return {
      path,
      functions: exported.filter(({ parameters }) => parameters.some(({ kind }) => kind === 'queries')),
      snapshots: exported.filter(({ isSnapshot }) => isSnapshot),
      callSites: reader.callSitesOf(path, file),
    }
  })

const createReader = (checker: Checker) => {
  const typeOf = (symbol: TsSymbol) => {
    const type = checker.getTypeOfSymbol(symbol)
    assert.ok(type, `${symbol.name} has no type`)
    return type
  }

  const functionsOf = (file: SourceFile): SqlFunction[] => {
    const module = checker.getSymbolAtLocation(file)
    if (module === undefined) return []
    return checker.getExportsOfModule(module).flatMap((symbol) => {
      const [signature] = checker.getSignaturesOfType(typeOf(symbol), SignatureKind.Call)
      const parameters = signature?.getParameters().map((parameter) => shapeOfNamed(parameter)) ?? []
      if (signature === undefined) return []
      const isSnapshot = checker.getReturnTypeOfSignature(signature)?.getAliasSymbol()?.name === 'Snapshot'
      return [{ name: symbol.name, parameters, isSnapshot }]
    })
  }

  const callSitesOf = (path: string, file: SourceFile): CallSite[] => {
    const found: CallSite[] = []
    const visit = (node: Node): void => {
      if (isTaggedTemplateExpression(node) && isPropertyAccessExpression(node.tag)) {
        const method = methodOf(node.tag.name.text)
        const declared = node.typeArguments?.[0]
        const row = declared && checker.getTypeFromTypeNode(declared)
        // A stack names the line where the template begins.
        const line = lineOf(file, getTokenPosOfNode(node.template, file))
        if (method !== undefined) found.push({ path, line, method, row: row && shapeOf(row) })
      }
      node.forEachChild(visit)
    }
    visit(file)
    return found
  }

  /** The number of a store is known by its type or by its name. */
  const shapeOfNamed = (symbol: TsSymbol, shape = shapeOf(typeOf(symbol))): Shape =>
    symbol.name === 'storeId' && shape.kind === 'number' ? { kind: 'number', of: 'store' } : shape

  /** `within` ends types that hold themselves. */
  const shapeOf = (type: Type, within: readonly Type[] = []): Shape => {
    if (within.includes(type)) return { kind: 'unknown' }
    const inner = (of: Type) => shapeOf(of, [...within, type])
    if (type.isUnionType()) return { kind: 'union', of: (type.getTypes() ?? []).map(inner) }
    if (type.isStringLiteralType() || type.isNumberLiteralType() || type.isBooleanLiteralType()) {
      return { kind: 'literal', value: type.value }
    }
    const plain = plainKind(type)
    if (plain !== undefined) return plain
    // A branded number such as `OutletId` is a number.
    if (type.isIntersectionType() && brandOf(type) === 'store') return { kind: 'number', of: 'store' }
    const brand = type.isIntersectionType()
      ? type
          .getTypes()
          ?.map(plainKind)
          .find((kind) => kind)
      : undefined
    return brand ?? objectShape(type, inner)
  }

  /** `number & { kind?: 'store' }` has the brand `store`. */
  const brandOf = (type: Type) => {
    const kind = checker.getPropertyOfType(type, 'kind')
    const types = kind && typeOf(kind)
    const alternatives = types?.isUnionType() ? (types.getTypes() ?? []) : types ? [types] : []
    return alternatives.find((of) => of.isStringLiteralType())?.value
  }

  const objectShape = (type: Type, inner: (of: Type) => Shape): Shape => {
    const name = type.getSymbol()?.name
    if (name === 'Date' || name === 'Buffer') return { kind: name }
    if (name === 'Fragment') return { kind: 'fragment' }
    if (checker.isTupleType(type) && type.isTypeReference()) {
      return { kind: 'tuple', of: checker.getTypeArguments(type).map(inner) }
    }
    if (checker.isArrayType(type) && type.isTypeReference()) {
      const [of] = checker.getTypeArguments(type)
      return { kind: 'array', of: of ? inner(of) : { kind: 'unknown' } }
    }
    if (checker.getPropertyOfType(type, 'maybeOne')) return { kind: 'queries' }
    if (type.getAliasSymbol()?.name === 'Deletable') return { kind: 'deletable' }
    if (type.getAliasSymbol()?.name === 'Snapshot') return { kind: 'snapshot' }
    if (checker.getSignaturesOfType(type, SignatureKind.Call).length > 0) return { kind: 'function' }
    const [index] = checker.getIndexInfosOfType(type)
    if (index) return { kind: 'record', of: inner(index.valueType) }
    const fields = checker.getPropertiesOfType(type).map((symbol): Field => {
      const shape = shapeOfNamed(symbol, inner(typeOf(symbol)))
      return { name: symbol.name, isOptional: (symbol.flags & SymbolFlags.Optional) !== 0, shape }
    })
    return { kind: 'object', fields }
  }

  return { functionsOf, callSitesOf }
}

const plainKinds: [TypeFlags, Shape][] = [
  [TypeFlags.Number, { kind: 'number' }],
  [TypeFlags.String | TypeFlags.TemplateLiteral, { kind: 'string' }],
  [TypeFlags.Boolean, { kind: 'boolean' }],
  [TypeFlags.Null, { kind: 'null' }],
  [TypeFlags.Undefined | TypeFlags.Void, { kind: 'undefined' }],
  [TypeFlags.Any | TypeFlags.Unknown | TypeFlags.TypeParameter, { kind: 'unknown' }],
  [TypeFlags.NonPrimitive, { kind: 'object', fields: [] }],
]

const plainKind = (type: Type) => plainKinds.find(([flags]) => (type.flags & flags) !== 0)?.[1]
