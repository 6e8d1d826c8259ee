import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { FormDialog } from '../../../ui/dialog.tsx'
import { SelectField, TextField } from '../../../ui/fields.tsx'
import { showNotice } from '../../../ui/notice.ts'
import { Button, focusHeading, Problem } from '../../../ui/states.tsx'
import type { AdminBulkProductsInput, AdminProductItem, MerchantJob } from '../api.ts'
import { counted, money, readNumber, wordProblem } from '../format.ts'
import { admin, store } from '../session.ts'
import { useCategories } from './catalog-lists.ts'
import { BulkBar, type Selection } from './selection.tsx'

type Change = AdminBulkProductsInput['change']
type Undo = () => Promise<void>

const pollMs = 400

/** Waits for the end of a job. A call that fails is tried again, because the job goes on without this page. */
const follow = async (started: MerchantJob, onProgress: (job: MerchantJob) => void): Promise<MerchantJob> => {
  let job = started
  for (let failures = 0; job.status === 'queued' || job.status === 'running'; ) {
    onProgress(job)
    await new Promise((resolve) => setTimeout(resolve, pollMs))
    try {
      job = await admin().getJob({ jobId: job.id })
      failures = 0
    } catch (error) {
      if (++failures > 20) throw error
    }
  }
  return job
}

/** Calls `work` for each item, some at a time. */
const forEach = async <Item,>(items: readonly Item[], work: (item: Item) => Promise<void>) => {
  const rest = [...items]
  const take = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: 4 }, take))
}

const bulkChange = (ids: string[], change: Change) => admin().bulkProducts({ ids, change })

/** Gives each group of products back what it had. */
const restoreBy = (products: readonly AdminProductItem[], changeBack: (product: AdminProductItem) => Change): Undo => {
  const groups = Object.values(Object.groupBy(products, (product) => JSON.stringify(changeBack(product))))
  return () =>
    forEach(groups, async (group = []) => {
      const [first] = group
      if (!first) return
      const ids = group.map(({ id }) => id)
      await follow(await bulkChange(ids, changeBack(first)), () => {})
    })
}

/** Reads all prices, because a percentage cannot be calculated back exactly. */
const rememberPrices = async (products: readonly AdminProductItem[]): Promise<Undo> => {
  const before: { productId: string; variants: { id: string; price: number; prices: Record<string, number> }[] }[] = []
  await forEach(products, async ({ id }) => {
    const { variants } = await admin().getProduct({ productId: id })
    const active = variants.filter((variant) => variant.active)
    before.push({ productId: id, variants: active.map(({ id, price, prices }) => ({ id, price, prices })) })
  })
  return () =>
    forEach(before, async (product) => {
      await admin().updateProduct(product)
    })
}

/** Actions for the selected products. Each is a job, whose progress is shown until it ends. */
export const ProductBulk = ({
  selection,
  products,
  onChanged,
  children,
}: {
  selection: Selection
  products: readonly AdminProductItem[]
  onChanged: () => void
  /** The list. */
  children: ComponentChildren
}) => {
  const [asked, setAsked] = useState<'category' | 'price' | 'archive' | null>(null)
  const [job, setJob] = useState<MerchantJob | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const chosen = products.filter(({ id }) => selection.ids.has(id))
  const close = () => setAsked(null)
  const fail = (error: unknown) => setProblem(wordProblem(error))

  const undo = async (run: Undo, name: string) => {
    showNotice('Undoing …')
    try {
      await run()
      showNotice(`Undone: ${name}`)
    } catch (error) {
      setProblem(`Not everything could be undone. ${wordProblem(error)}`)
    }
    onChanged()
  }
  /** Rejects if the job cannot be started, and reports everything after that on the page. */
  const start = async (change: Change, name: string, restore: Undo) => {
    setProblem(null)
    const started = await bulkChange(
      chosen.map(({ id }) => id),
      change,
    )
    selection.clear()
    // The button that was used is gone with the selection.
    focusHeading()
    void finish(started, name, restore)
  }
  const finish = async (started: MerchantJob, name: string, restore: Undo) => {
    setJob(started)
    try {
      const { status, faults, total } = await follow(started, setJob)
      if (status !== 'done') setProblem(`The change of ${counted(total, 'product')} was stopped.`)
      else if (faults.length > 0) setProblem(wordFaults(faults, products))
      if (status === 'done') showNotice(`${name}.`, { action: { label: 'Undo', run: () => void undo(restore, name) } })
    } catch (error) {
      fail(error)
    }
    setJob(null)
    onChanged()
  }
  const count = counted(chosen.length, 'product')
  const setStatus = (status: 'ACTIVE' | 'DRAFT' | 'ARCHIVED', name: string) =>
    start(
      { status },
      `${count} ${name}`,
      restoreBy(chosen, (product) => ({ status: product.status as 'ACTIVE' })),
    )
  return (
    <>
      {problem !== null && <Problem text={problem} />}
      {job && <JobProgress job={job} />}
      {children}
      <BulkBar selection={selection} one="product">
        <Button class="quiet small" onClick={() => void setStatus('ACTIVE', 'published').catch(fail)}>
          Publish
        </Button>
        <Button class="quiet small" onClick={() => void setStatus('DRAFT', 'unpublished').catch(fail)}>
          Unpublish
        </Button>
        <Button class="quiet small" onClick={() => setAsked('category')}>
          Move to category
        </Button>
        <Button class="quiet small" onClick={() => setAsked('price')}>
          Change price
        </Button>
        <Button class="quiet small" onClick={() => setAsked('archive')}>
          Archive
        </Button>
      </BulkBar>
      {asked === 'archive' && (
        <FormDialog
          title={`Archive ${count}?`}
          action={`Archive ${count}`}
          isDangerous
          onSubmit={() => setStatus('ARCHIVED', 'archived')}
          onClose={close}
        >
          <p>
            Shoppers no longer see them, and cannot buy them. Orders, stock and pictures stay, and you can bring them
            back.
          </p>
        </FormDialog>
      )}
      {asked === 'category' && <MoveDialog products={chosen} onClose={close} onMove={start} />}
      {asked === 'price' && <PriceDialog products={chosen} onClose={close} onChange={start} />}
    </>
  )
}

const wordFaults = (faults: MerchantJob['faults'], products: readonly AdminProductItem[]) => {
  const texts = faults.slice(0, 5).map(({ id, field, message }) => {
    const name = products.find((product) => product.id === id)?.name ?? 'A product'
    return `${name}: ${field} ${message}`
  })
  const rest = faults.length > texts.length ? `, and ${faults.length - texts.length} more` : ''
  return `${counted(faults.length, 'product')} could not be changed. ${texts.join('; ')}${rest}.`
}

const JobProgress = ({ job: { done, total, percent } }: { job: MerchantJob }) => (
  <div class="job-progress panel" role="status">
    <label>
      <span>{done === 0 ? 'Starting …' : `Changed ${done} of ${counted(total, 'product')} …`}</span>
      <progress value={percent} max={100} />
    </label>
  </div>
)

type Start = (change: Change, name: string, undo: Undo) => Promise<void>
type QuestionProps = { products: readonly AdminProductItem[]; onClose: () => void }

const MoveDialog = ({ products, onClose, onMove }: QuestionProps & { onMove: Start }) => {
  const [category, setCategory] = useState('')
  const categories = useCategories()
  const count = counted(products.length, 'product')
  const path = categories.find(([id]) => id === category)?.[1]
  const move = () =>
    onMove(
      { category: category || null },
      path === undefined ? `${count} taken out of their category` : `${count} moved to ${path}`,
      restoreBy(products, ({ categoryId }) => ({ category: categoryId })),
    )
  return (
    <FormDialog title={`Move ${count}`} action={`Move ${count}`} onSubmit={move} onClose={onClose}>
      <SelectField
        label="Category"
        name="category"
        value={category}
        options={[['', 'No category'], ...categories]}
        onChange={setCategory}
      />
    </FormDialog>
  )
}

const PriceDialog = ({ products, onClose, onChange }: QuestionProps & { onChange: Start }) => {
  const [by, setBy] = useState<'percent' | 'amount'>('percent')
  const [direction, setDirection] = useState<'up' | 'down'>('up')
  const [text, setText] = useState('')
  const count = counted(products.length, 'product')
  const size = readNumber(text)
  const change = (size ?? 0) * (direction === 'up' ? 1 : -1)
  const [example] = products
  const changed = example && Math.max(0, by === 'percent' ? example.price * (1 + change / 100) : example.price + change)
  const words = by === 'percent' ? `${text} %` : money(size ?? 0)
  const submit = async () => {
    const undo = await rememberPrices(products)
    const name = `Prices of ${count} ${direction === 'up' ? 'raised' : 'lowered'} by ${words}`
    await onChange({ price: by === 'percent' ? { percent: change } : { amount: change } }, name, undo)
  }
  return (
    <FormDialog
      title={`Change the prices of ${count}`}
      action={`Change the prices of ${count}`}
      onSubmit={submit}
      onClose={onClose}
    >
      <div class="fields">
        <SelectField
          label="Prices"
          name="direction"
          value={direction}
          options={[
            ['up', 'go up by'],
            ['down', 'go down by'],
          ]}
          onChange={(value) => setDirection(value === 'down' ? 'down' : 'up')}
        />
        <SelectField
          label="Unit"
          name="by"
          value={by}
          options={[
            ['percent', 'Percent'],
            ['amount', store.value?.currency ?? 'Amount'],
          ]}
          onChange={(value) => setBy(value === 'amount' ? 'amount' : 'percent')}
        />
      </div>
      <TextField
        label={by === 'percent' ? 'Percent' : 'Amount'}
        name="size"
        inputMode="decimal"
        required
        value={text}
        onInput={setText}
      />
      {example && size !== null && changed !== undefined && (
        <p class="quiet-text" role="status">
          {example.name}: {money(example.price)} becomes {money(changed)}. All variants change, at every outlet.
        </p>
      )}
      {text !== '' && size === null && <p class="error">Type a number, such as 10.</p>}
    </FormDialog>
  )
}
