/** A fault that the person running Vitrine can mend. The command line prints its one sentence, no stack, and exits 1. */
export class OperatorError extends Error {
  override name = 'OperatorError'
}
