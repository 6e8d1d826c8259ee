import { useState } from 'preact/hooks'
import { Dialog, FormDialog } from '../../../ui/dialog.tsx'
import { SelectField, TextField } from '../../../ui/fields.tsx'
import { useLoad } from '../../../ui/load.ts'
import { showNotice } from '../../../ui/notice.ts'
import { navigate } from '../../../ui/router.ts'
import { Button, focusHeading, Show } from '../../../ui/states.tsx'
import type { Staff } from '../api.ts'
import { dateTime } from '../format.ts'
import { CopyField } from '../parts/copy.tsx'
import { NotAllowed } from '../parts/not-allowed.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { isRole, type Role, roleOptions, roleWords } from '../parts/role-words.ts'
import { Tokens } from '../parts/tokens.tsx'
import { admin, loadSession, may, session, store } from '../session.ts'

type Asked = { kind: 'invite' } | { kind: 'role' | 'remove' | 'again'; member: Staff }

export const StaffPage = () => (may('staff:write') ? <StaffScreen /> : <NotAllowed title="Staff" />)

const StaffScreen = () => {
  const { loaded, reload } = useLoad(`${store.value?.id} staff`, async () => (await admin().listStaff()).data)
  const [asked, setAsked] = useState<Asked | null>(null)
  const [link, setLink] = useState<{ email: string; link: string } | null>(null)
  const close = () => setAsked(null)
  /** Says how the person gets in. The link is there only if the service sends no mail. */
  const showInvited = async (email: string, staffId: string, given: string | null) => {
    reload()
    // The dialog that is open now closes first.
    if (given !== null) return void setTimeout(() => setLink({ email, link: given }))
    const { data } = await admin()
      .listStaff()
      .catch(() => ({ data: [] }))
    const hasPassword = data.find(({ id }) => id === staffId)?.status === 'active'
    showNotice(
      hasPassword
        ? `${email} has a password already, and can work here now.`
        : `The invitation is on its way to ${email}.`,
    )
  }
  return (
    <>
      <PageHead title="Staff">
        <Button class="small" onClick={() => setAsked({ kind: 'invite' })}>
          Invite
        </Button>
      </PageHead>
      <Show loaded={loaded} onRetry={reload}>
        {(members) => <MemberTable members={members} onAsk={setAsked} />}
      </Show>
      <RoleList />
      {may('secrets:write') && <Tokens />}
      {asked?.kind === 'invite' && <InviteDialog onClose={close} onInvited={showInvited} />}
      {asked?.kind === 'again' && <AgainDialog member={asked.member} onClose={close} onInvited={showInvited} />}
      {asked?.kind === 'role' && <RoleDialog member={asked.member} onClose={close} onChanged={reload} />}
      {asked?.kind === 'remove' && <RemoveDialog member={asked.member} onClose={close} onRemoved={reload} />}
      {link && (
        <Dialog title={`Send this link to ${link.email}`} onClose={() => setLink(null)}>
          <p>
            This service sends no mail, so send the link yourself. It sets the password, once, within a day. Whoever has
            it has the account.
          </p>
          <CopyField label="Link" value={link.link} />
          <div class="row dialog-actions">
            <Button onClick={() => setLink(null)}>Done</Button>
          </div>
        </Dialog>
      )}
    </>
  )
}

const isSelf = ({ id }: Staff) => id === session.value?.staff.id

const MemberTable = ({ members, onAsk }: { members: readonly Staff[]; onAsk: (asked: Asked) => void }) => {
  const owners = members.filter(({ role }) => role === 'owner').length
  return (
    <table class="table staff-table">
      <thead>
        <tr>
          <th scope="col">Person</th>
          <th scope="col">Role</th>
          <th scope="col">Last active</th>
          <th scope="col">Second factor</th>
          <th scope="col">
            <span class="hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {members.map((member) => (
          <tr key={member.id}>
            <th scope="row" class="wraps">
              <span>
                {member.name || member.email} {isSelf(member) && <span class="status">You</span>}
                {member.name !== '' && <span class="quiet-text block">{member.email}</span>}
              </span>
            </th>
            <td data-label="Role">{roleWords[member.role][0]}</td>
            <td data-label="Last active">
              {member.status === 'invited' && !isSelf(member) ? (
                <span class="status warn">Invited</span>
              ) : member.usedAt === null ? (
                'Never'
              ) : (
                dateTime(member.usedAt)
              )}
            </td>
            <td data-label="Second factor">
              <span class={`status ${member.secondFactor ? 'good' : ''}`}>{member.secondFactor ? 'On' : 'Off'}</span>
            </td>
            <td class="actions">
              {member.role === 'owner' && owners === 1 ? (
                <small>The only owner. A store needs one, so make another person owner first to change this.</small>
              ) : (
                <MemberActions member={member} onAsk={onAsk} />
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const MemberActions = ({ member, onAsk }: { member: Staff; onAsk: (asked: Asked) => void }) => {
  const actions = [
    ...(member.status === 'invited' ? ([['again', 'Invite again', ':']] as const) : []),
    ...([
      ['role', 'Change role', ' of'],
      ['remove', 'Remove', ''],
    ] as const),
  ]
  return (
    <span class="row">
      {actions.map(([kind, text, joint]) => (
        <button type="button" class="text-button" onClick={() => onAsk({ kind, member })} key={kind}>
          {text}
          <span class="hidden">
            {joint} {member.name || member.email}
          </span>
        </button>
      ))}
    </span>
  )
}

const RoleList = () => (
  <details class="more-filters role-list">
    <summary>What each role may do</summary>
    <dl class="facts">
      {Object.entries(roleWords).map(([role, [name, text]]) => (
        <>
          <dt key={role}>{name}</dt>
          <dd>{text}</dd>
        </>
      ))}
    </dl>
  </details>
)

const RoleField = ({ role, onChange }: { role: Role; onChange: (role: Role) => void }) => (
  <SelectField
    {...{ label: 'Role', name: 'role', value: role, options: roleOptions, help: roleWords[role][1] }}
    onChange={(value) => isRole(value) && onChange(value)}
  />
)

type OnInvited = (email: string, staffId: string, link: string | null) => Promise<void>

const InviteDialog = ({ onClose, onInvited }: { onClose: () => void; onInvited: OnInvited }) => {
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('support')
  const invite = async () => {
    const { staffId, link } = await admin().addStaff({ email, role, name })
    await onInvited(email.trim(), staffId, link)
  }
  return (
    <FormDialog title="Invite to your staff" action="Invite" onClose={onClose} onSubmit={invite}>
      <TextField
        {...{ type: 'email', label: 'Email', name: 'email', required: true, maxLength: 254, autocomplete: 'off' }}
        value={email}
        onInput={setEmail}
      />
      <TextField
        {...{ label: 'Name', remark: '(optional)', name: 'name', maxLength: 100, autocomplete: 'off' }}
        value={name}
        onInput={setName}
      />
      <RoleField role={role} onChange={setRole} />
    </FormDialog>
  )
}

const AgainDialog = ({ member, onClose, onInvited }: { member: Staff; onClose: () => void; onInvited: OnInvited }) => (
  <FormDialog
    {...{ title: `Invite ${member.name || member.email} again?`, action: 'Invite again', onClose }}
    onSubmit={async () => {
      const { staffId, link } = await admin().inviteStaff({ staffId: member.id })
      await onInvited(member.email, staffId, link)
    }}
  >
    <p>{member.email} gets a new link, which works once, within a day. The earlier link stops working.</p>
  </FormDialog>
)

const RoleDialog = ({ member, onClose, onChanged }: { member: Staff; onClose: () => void; onChanged: () => void }) => {
  const [role, setRole] = useState(member.role)
  const change = async () => {
    const changed = await admin().updateStaff({ staffId: member.id, role })
    const undo = async () => {
      await admin().updateStaff({ staffId: member.id, role: member.role })
      onChanged()
    }
    if (isSelf(member)) return loadSession()
    onChanged()
    const text = `${member.name || member.email} is ${roleWords[changed.role][0].toLowerCase()} now.`
    showNotice(text, { action: { label: 'Undo', run: () => void undo() } })
  }
  return (
    <FormDialog
      {...{ title: `Role of ${member.name || member.email}`, action: 'Change role', onClose, onSubmit: change }}
    >
      <RoleField role={role} onChange={setRole} />
      <p class="quiet-text">It counts at once.</p>
      {isSelf(member) && role !== 'owner' && (
        <p class="warning">You will not be able to open this screen any more. Only another owner can give it back.</p>
      )}
    </FormDialog>
  )
}

const RemoveDialog = ({
  member,
  onClose,
  onRemoved,
}: {
  member: Staff
  onClose: () => void
  onRemoved: () => void
}) => {
  const who = member.name || member.email
  const remove = async () => {
    await admin().removeStaff({ staffId: member.id })
    if (isSelf(member)) {
      await loadSession()
      return navigate('/admin')
    }
    onRemoved()
    focusHeading()
    showNotice(`${who} does not work here any more.`)
  }
  return (
    <FormDialog {...{ title: `Remove ${who}?`, action: 'Remove', isDangerous: true, onClose, onSubmit: remove }}>
      <p>
        {isSelf(member) ? 'You lose' : `${who} loses`} access to {store.value?.name} at once
        {member.status === 'invited' ? ', and the invitation does not open this store' : ''}. Notes and other work stay.
        Other stores are not affected.
      </p>
    </FormDialog>
  )
}
