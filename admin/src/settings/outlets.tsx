import { useState } from 'preact/hooks'
import { FormDialog } from '../../../ui/dialog.tsx'
import { CheckField, TextField } from '../../../ui/fields.tsx'
import { showNotice } from '../../../ui/notice.ts'
import { Button, Empty } from '../../../ui/states.tsx'
import type { Outlet } from '../api.ts'
import { date } from '../format.ts'
import { PagesOf, usePages } from '../parts/pages-of.tsx'
import { admin, may } from '../session.ts'

type Open = { what: 'new' } | { what: 'edit' | 'delete'; outlet: Outlet }

export const OutletsSettings = () => {
  const list = usePages<Outlet>('outlets', (cursor) => admin().listOutlets({ ...cursor, limit: 50 }))
  const [open, setOpen] = useState<Open | null>(null)
  const canWrite = may('catalog:write')
  const close = () => setOpen(null)
  const done = (text: string) => {
    list.reload()
    showNotice(text)
  }
  return (
    <>
      {canWrite && (
        <div class="toolbar">
          <p class="quiet-text">Each outlet has stock of its own. Shoppers who choose none get the default.</p>
          <Button onClick={() => setOpen({ what: 'new' })}>Add an outlet</Button>
        </div>
      )}
      <PagesOf list={list} one="outlet" empty={<Empty title="No outlets" />}>
        {(outlets) => (
          <table class="table">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Since</th>
                {canWrite && (
                  <th scope="col">
                    <span class="hidden">Actions</span>
                  </th>
                )}
              </tr>
            </thead>
            <tbody>
              {outlets.map((outlet) => (
                <tr key={outlet.id}>
                  <th scope="row">
                    <span>
                      {outlet.name} {outlet.isDefault && <span class="status good">Default</span>}
                    </span>
                  </th>
                  <td data-label="Since">{date(outlet.createdAt)}</td>
                  {canWrite && (
                    <td class="actions">
                      <button type="button" class="text-button" onClick={() => setOpen({ what: 'edit', outlet })}>
                        Edit<span class="hidden"> {outlet.name}</span>
                      </button>
                      {!outlet.isDefault && (
                        <button type="button" class="text-button" onClick={() => setOpen({ what: 'delete', outlet })}>
                          Delete<span class="hidden"> {outlet.name}</span>
                        </button>
                      )}
                    </td>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </PagesOf>
      {open?.what === 'new' && <OutletDialog onClose={close} onDone={done} />}
      {open?.what === 'edit' && <OutletDialog outlet={open.outlet} onClose={close} onDone={done} />}
      {open?.what === 'delete' && (
        <FormDialog
          {...{ title: `Delete ${open.outlet.name}?`, action: 'Delete', isDangerous: true, onClose: close }}
          onSubmit={async () => {
            await admin().deleteOutlet({ outletId: open.outlet.id })
            done(`${open.outlet.name} is deleted.`)
          }}
        >
          <p>Only an outlet without orders and stock can be deleted. This cannot be undone.</p>
        </FormDialog>
      )}
    </>
  )
}

const OutletDialog = ({
  outlet,
  onClose,
  onDone,
}: {
  outlet?: Outlet
  onClose: () => void
  onDone: (text: string) => void
}) => {
  const [name, setName] = useState(outlet?.name ?? '')
  const [isDefault, setDefault] = useState(outlet?.isDefault ?? false)
  const save = async () => {
    if (outlet === undefined) {
      const made = await admin().createOutlet({ name })
      if (isDefault) await admin().updateOutlet({ outletId: made.id, isDefault })
    } else {
      const changes = { ...(name === outlet.name ? {} : { name }), ...(isDefault ? { isDefault } : {}) }
      await admin().updateOutlet({ outletId: outlet.id, ...changes })
    }
    onDone('Saved.')
  }
  return (
    <FormDialog title={outlet ? `Edit ${outlet.name}` : 'New outlet'} action="Save" onSubmit={save} onClose={onClose}>
      <TextField {...{ label: 'Name', name: 'name', required: true, maxLength: 200, value: name }} onInput={setName} />
      {!outlet?.isDefault && (
        <CheckField
          {...{ label: 'Default outlet', name: 'default', isChecked: isDefault, onChange: setDefault }}
          help="For shoppers who choose none. Another outlet is then no longer the default."
        />
      )}
    </FormDialog>
  )
}
