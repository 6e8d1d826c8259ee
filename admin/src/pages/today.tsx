import { useEffect, useRef, useState } from 'preact/hooks'
import { useLoad } from '../../../ui/load.ts'
import { Empty, Show, Skeleton } from '../../../ui/states.tsx'
import type { AdminToday } from '../api.ts'
import { dateTime, money, number, shortMoney } from '../format.ts'
import { Change } from '../parts/change.tsx'
import { TimeChart } from '../parts/chart.tsx'
import { useLive } from '../parts/live.ts'
import { PageHead } from '../parts/page-head.tsx'
import { type Pages, usePages } from '../parts/pages-of.tsx'
import {
  deliveryOf,
  deliveryWords,
  nameOf,
  paymentOf,
  paymentWords,
  StatusBadge,
  statusOf,
  statusWords,
} from '../parts/status.tsx'
import { addDays, currentDay, labelOfPeriod, nameOfPeriod } from '../period.ts'
import { admin, may, type Permission, pathTo, store } from '../session.ts'

type Task = {
  name: keyof AdminToday
  label: string
  path: string
  /** Who may read it, and who does it. Those who only read see all that they may read. */
  reads: Permission
  does: Permission
}

const tasks: readonly Task[] = [
  { name: 'toShip', label: 'To ship', path: 'orders?show=to-ship', reads: 'orders:read', does: 'orders:fulfil' },
  { name: 'unpaid', label: 'Unpaid', path: 'orders?show=unpaid', reads: 'orders:read', does: 'orders:support' },
  {
    ...{ name: 'attention', label: 'Need attention', path: 'orders?show=attention' },
    ...{ reads: 'orders:read', does: 'orders:support' },
  },
  {
    ...{ name: 'returns', label: 'Returns to answer', path: 'returns?show=requested' },
    ...{ reads: 'orders:read', does: 'orders:support' },
  },
  { name: 'lowStock', label: 'Low in stock', path: 'stock?show=low', reads: 'catalog:read', does: 'stock:write' },
  {
    ...{ name: 'failingWebhooks', label: 'Webhooks failing', path: 'activity?show=webhooks&state=failed' },
    ...{ reads: 'settings:read', does: 'webhooks:write' },
  },
]

const tasksOf = () => {
  const onlyReads = store.value?.permissions.every((permission) => permission.endsWith(':read'))
  return tasks.filter(({ reads, does }) => may(reads) && (onlyReads || may(does)))
}

/** The tasks are there at once, their counts and the orders follow, and the picture comes last. */
export const TodayPage = () => {
  const orders = usePages('today orders', (cursor) => admin().listOrders({ ...cursor, limit: 8 }), {
    liveBy: ({ id }) => id,
  })
  const newest = orders.loaded.status === 'ready' ? orders.loaded.value.items : null
  const isNew = newest?.length === 0
  // Changes when there is something to count again.
  const mark = newest?.map(({ id, updatedAt }) => id + updatedAt).join()
  return (
    <>
      <PageHead title="Today" />
      {isNew && may('settings:write') && <SetupHint />}
      <Tasks mark={mark} />
      <div class="today">
        {may('reports:read') && <Sales mark={mark} />}
        {may('orders:read') && <NewestOrders orders={orders} />}
      </div>
    </>
  )
}

const SetupHint = () => (
  <section class="panel setup-hint">
    <div>
      <h2>Get your store ready</h2>
      <p>A short list of what is left to do before the first order.</p>
    </div>
    <a class="button" href={pathTo('setup')}>
      Set up your store
    </a>
  </section>
)

type Marked = { mark: string | undefined }

/** Reads again as soon as the newest orders are no longer the same, but not twice within ten seconds. */
const useReload = (reload: () => void, mark: string | undefined) => {
  const last = useRef(0)
  const first = useRef(mark)
  first.current ??= mark
  useEffect(() => {
    if (first.current === mark) return
    const again = () => {
      last.current = Date.now()
      reload()
    }
    const timer = setTimeout(again, last.current + 10_000 - Date.now())
    return () => clearTimeout(timer)
  }, [mark])
}

const Tasks = ({ mark }: Marked) => {
  const { loaded, reload } = useLoad(`${store.value?.id} today`, () => admin().today())
  const round = useRef(0)
  useReload(reload, mark)
  useLive(() => {
    // Counting takes longer than reading the newest orders, which tell most of what is new.
    if (++round.current % 3 === 0) reload()
  })
  if (loaded.status === 'failed') return <Show loaded={loaded} onRetry={reload} children={() => null} />
  const counts = loaded.status === 'ready' ? loaded.value : null
  return (
    <section aria-labelledby="tasks">
      <h2 class="hidden" id="tasks">
        What needs doing
      </h2>
      <ul class="tasks" aria-busy={counts === null}>
        {tasksOf().map(({ name, label, path }) => (
          <li key={name}>
            <a class={`task ${counts?.[name]?.total === 0 ? 'done' : ''}`} href={pathTo(path)}>
              <strong>{counts === null ? '…' : writeCount(counts[name])}</strong>
              <span>{label}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}

const writeCount = (count: AdminToday[keyof AdminToday]) =>
  count === null ? '–' : `${number(count.total)}${count.totalIsExact ? '' : '+'}`

/** Sixty days in one call: the last thirty and the thirty before. */
const readSales = async () => {
  const today = currentDay()
  const { data } = await admin().reportSales({ from: addDays(today, -59), to: today })
  const [before, now] = [data.slice(0, 30), data.slice(30)]
  const sum = (rows: typeof data, name: 'net' | 'orders') => rows.reduce((total, row) => total + row[name], 0)
  return {
    points: now.map(({ period, net }, index) => ({
      name: nameOfPeriod(period, 'day'),
      label: labelOfPeriod(period, 'day'),
      value: net,
      before: before[index]?.net,
    })),
    net: sum(now, 'net'),
    netBefore: sum(before, 'net'),
    orders: sum(now, 'orders'),
    ordersBefore: sum(before, 'orders'),
  }
}

const Sales = ({ mark }: Marked) => {
  // After what needs doing, so that a slow connection is free for it.
  const [isAsked, setAsked] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setAsked(true), 50)
    return () => clearTimeout(timer)
  }, [])
  return (
    <section class="panel" aria-labelledby="sales">
      <div class="row panel-head">
        <h2 id="sales">Sales of the last 30 days</h2>
        <a href={pathTo('reports')}>More figures</a>
      </div>
      {isAsked ? <SalesChart mark={mark} /> : <Skeleton lines={6} />}
    </section>
  )
}

const SalesChart = ({ mark }: Marked) => {
  const { loaded, reload } = useLoad(`${store.value?.id} today sales`, readSales)
  useReload(reload, mark)
  return (
    <Show loaded={loaded} onRetry={reload} skeleton={<Skeleton lines={6} />}>
      {({ points, net, netBefore, orders, ordersBefore }) => (
        <>
          <dl class="figures">
            <div>
              <dt>Net sales</dt>
              <dd>
                <strong>{money(net)}</strong>
                <Change now={net} before={netBefore} />
              </dd>
            </div>
            <div>
              <dt>Orders</dt>
              <dd>
                <strong>{number(orders)}</strong>
                <Change now={orders} before={ordersBefore} />
              </dd>
            </div>
          </dl>
          <TimeChart
            {...{ title: 'Net sales', points, format: money, axis: shortMoney, timeName: 'Day' }}
            beforeName="30 days before"
          />
        </>
      )}
    </Show>
  )
}

type OrderPages = Pages<Awaited<ReturnType<ReturnType<typeof admin>['listOrders']>>['items'][number]>

const NewestOrders = ({ orders: { loaded, reload } }: { orders: OrderPages }) => (
  <section class="panel" aria-labelledby="newest">
    <div class="row panel-head">
      <h2 id="newest">Newest orders</h2>
      <a href={pathTo('orders')}>See all</a>
    </div>
    <Show loaded={loaded} onRetry={reload}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty title="No orders yet">
            <p>Orders appear here as soon as a customer places one.</p>
          </Empty>
        ) : (
          <ul class="newest">
            {items.map((order) => (
              <li key={order.id}>
                <a href={pathTo(`orders/${order.id}`)}>
                  <strong>{order.number}</strong>
                  <span class="newest-buyer">{nameOf(order)}</span>
                  <span class="newest-total">{money(order.total, order.currency)}</span>
                  <span class="newest-status">
                    <span class="quiet-text">{dateTime(order.createdAt)}</span>
                    {statusOf(order) === 'paid' ? (
                      <span class="row">
                        <StatusBadge words={paymentWords} value={paymentOf(order)} />
                        <StatusBadge words={deliveryWords} value={deliveryOf(order)} />
                      </span>
                    ) : (
                      <StatusBadge words={statusWords} value={statusOf(order)} />
                    )}
                  </span>
                </a>
              </li>
            ))}
          </ul>
        )
      }
    </Show>
  </section>
)
