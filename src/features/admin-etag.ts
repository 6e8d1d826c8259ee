import { hash } from 'node:crypto'
import { fail } from '../core/errors.ts'
import type { AdminCtx } from './context.ts'

/** The ETag of a resource as the admin API shows it. */
export const etagOf = (shown: unknown) => `"${hash('sha256', JSON.stringify(shown), 'base64url').slice(0, 22)}"`

/** The answer of a read or a change, with the ETag that a later change can name. */
export const withEtag = <Shown>(shown: Shown) => ({ body: shown, headers: { etag: etagOf(shown) } })

/**
 * Refuses a change whose `If-Match` names an earlier state. Call it in the transaction, with the state that was read after
 * the row was locked: otherwise two writers could both pass.
 */
export const requireMatch = ({ ifMatch }: Pick<AdminCtx, 'ifMatch'>, shown: unknown): void => {
  if (ifMatch === null) return
  const tags = ifMatch.split(',').map((tag) => tag.trim())
  if (!tags.includes('*') && !tags.includes(etagOf(shown))) throw fail('PRECONDITION_FAILED')
}
