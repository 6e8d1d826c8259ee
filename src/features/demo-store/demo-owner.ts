import { newId } from '../../core/ids.ts'
import { commandLine, recordChange } from '../audit/record.ts'
import type { Services, Store } from '../context.ts'
import { makeStaffLink } from '../staff/links.ts'
import { insertRole, insertStaff } from '../staff/staff.sql.ts'

const owner = { email: 'owner@demo.example', name: 'Demo owner' }

/** An address that signs in to the admin page as the owner of the demo store, once. Earlier addresses end. */
export const makeDemoSignIn = ({ db, publicUrl }: Pick<Services, 'db' | 'publicUrl'>, store: Store): Promise<string> =>
  db.tx(async (tx) => {
    const { id } = await insertStaff(tx, { id: newId('stf'), ...owner })
    const isNew = (await insertRole(tx, store.id, id, 'owner')) !== undefined
    if (isNew) {
      recordChange(tx, store, commandLine, {
        ...{ action: 'staff.created', id },
        changes: { email: { before: null, after: owner.email }, role: { before: null, after: 'owner' } },
      })
    }
    return `${publicUrl}/admin/sign-in?token=${await makeStaffLink(tx, id, 'sign_in')}`
  })
