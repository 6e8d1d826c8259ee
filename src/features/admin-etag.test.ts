import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../core/errors.ts'
import { etagOf, requireMatch, withEtag } from './admin-etag.ts'

test('a change passes with the ETag of the current state, with any, and without one', () => {
  const shown = { id: 'prod_1', name: 'Mug' }
  for (const ifMatch of [null, '*', etagOf(shown), `"other", ${etagOf(shown)}`]) requireMatch({ ifMatch }, shown)
  assert.deepEqual(withEtag(shown), { body: shown, headers: { etag: etagOf(shown) } })
})

test('a change with the ETag of an earlier state is refused', () => {
  const before = etagOf({ name: 'Mug' })
  assert.throws(
    () => requireMatch({ ifMatch: before }, { name: 'Cup' }),
    (error: Failure) => error instanceof Failure && error.code === 'PRECONDITION_FAILED' && error.status === 412,
  )
  assert.throws(() => requireMatch({ ifMatch: `W/${before}` }, { name: 'Mug' }), Failure)
})
