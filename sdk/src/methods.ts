import type { HttpOperation, Input } from './request.ts'

export type Run<Options> = (input: Input, given: Options | undefined) => unknown

/** The methods of a client, from a generated table of operations. `Methods` is generated from the same contract. */
export const makeMethods = <Operation extends HttpOperation, Methods, Options>(
  operations: Readonly<Record<string, Operation>>,
  runnerOf: (operation: Operation) => Run<Options>,
): Methods => {
  const methods: Record<string, unknown> = {}
  for (const [name, operation] of Object.entries(operations)) {
    const run = runnerOf(operation)
    methods[name] = takesInput(operation)
      ? (input: Input = {}, given?: Options) => run(input, given)
      : (given?: Options) => run({}, given)
  }
  return methods as Methods
}

const takesInput = ({ path, query, body }: HttpOperation) => query === true || body === true || path.includes('{')
