import { route } from '../../../ui/router.ts'
import { Empty } from '../../../ui/states.tsx'
import { AuditLog } from '../parts/audit-log.tsx'
import { Inbox } from '../parts/inbox.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { WebhookDeliveries } from '../parts/webhook-deliveries.tsx'
import { may, type Permission } from '../session.ts'

const views: readonly { name: string; label: string; permission: Permission; Shown: () => preact.JSX.Element }[] = [
  { name: 'changes', label: 'Changes by staff', permission: 'audit:read', Shown: AuditLog },
  { name: 'received', label: 'From payments and carriers', permission: 'orders:read', Shown: Inbox },
  { name: 'webhooks', label: 'Sent by webhook', permission: 'settings:read', Shown: WebhookDeliveries },
]

/** What has happened in the store, as far as the person may see it. */
export const ActivityPage = () => {
  const allowed = views.filter(({ permission }) => may(permission))
  const asked = route.value.query.get('show')
  const shown = allowed.find(({ name }) => name === asked) ?? allowed[0]
  if (shown === undefined) return <Empty title="Your role does not show the activity of this store" />
  const { Shown } = shown
  return (
    <>
      <PageHead title="Activity" />
      <div class="toolbar">
        <Tabs
          label="Show"
          value={shown.name}
          tabs={allowed.map(({ name, label }) => [name, label] as const)}
          clears={['person', 'about', 'action', 'thing', 'from', 'to', 'state', 'kind', 'order', 'endpoint']}
        />
      </div>
      <Shown key={shown.name} />
    </>
  )
}
