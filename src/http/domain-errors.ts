import type { DomainError, DomainErrorCode, DomainErrorKind } from '../core/domain-errors.ts'
import { type ErrorCode, type Failure, fail } from '../core/errors.ts'

const codeOfKind: Record<DomainErrorKind, ErrorCode> = {
  invalid: 'BAD_REQUEST',
  notFound: 'NOT_FOUND',
  conflict: 'CONFLICT',
  unavailable: 'SERVICE_UNAVAILABLE',
}

/** Errors for which the API has a more specific code than that of their kind. */
const codeOfError: { [Code in DomainErrorCode]?: ErrorCode } = { STOCK_TOO_LOW: 'INSUFFICIENT_STOCK' }

/** Converts a domain error to an API error: a code of the public catalogue, its status, and the text of the error. */
export const toFailure = (error: DomainError, invalidInput: 400 | 422 = 400): Failure => {
  const code = codeOfError[error.code] ?? codeOfKind[error.kind]
  const isUnprocessable = code === 'BAD_REQUEST' && invalidInput === 422
  return fail(isUnprocessable ? 'UNPROCESSABLE_ENTITY' : code, error.message, {
    cause: error.cause ?? error,
    ...(code === 'SERVICE_UNAVAILABLE' ? { headers: { 'retry-after': '1' } } : {}),
  })
}
