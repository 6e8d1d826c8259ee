import { useState } from 'preact/hooks'
import { FormDialog } from '../../../ui/dialog.tsx'
import { CheckField, Field, SelectField } from '../../../ui/fields.tsx'
import { showNotice } from '../../../ui/notice.ts'
import { Button, Empty } from '../../../ui/states.tsx'
import type { AdminCreateJobInput, AdminExportProductsInput, MerchantJob } from '../api.ts'
import { counted, dateTime, wordProblem } from '../format.ts'
import { PageHead } from '../parts/page-head.tsx'
import { PagesOf, usePages } from '../parts/pages-of.tsx'
import { admin, may, store } from '../session.ts'

const importFormats = [
  ['', 'Find out from the file'],
  ['csv', 'CSV, one row a product'],
  ['shopify', 'Export of Shopify'],
  ['woocommerce', 'Export of WooCommerce'],
  ['json', 'JSON'],
  ['jsonl', 'JSON, one line a product'],
] as const

const exportFormats = [
  ['csv', 'CSV'],
  ['shopify', 'CSV as Shopify'],
  ['jsonl', 'JSON, one line a product'],
  ['json', 'JSON'],
] as const

/** A file that was checked, and can be imported without choosing it again. */
type Checked = { jobId: string; input: AdminCreateJobInput }

/** A large file takes a while on a slow line. */
const uploadMs = 600_000

/** Products in and out as files, and the progress of everything that runs in the background. */
export const ImportsPage = () => {
  const list = usePages('jobs', (cursor) => admin().listJobs({ ...cursor, limit: 20 }), { liveBy: ({ id }) => id })
  const [opened, setOpened] = useState<'import' | 'export' | null>(null)
  const [checked, setChecked] = useState<Checked | null>(null)
  const close = () => setOpened(null)
  return (
    <>
      <PageHead title="Import and export">
        {may('catalog:write') && <Button onClick={() => setOpened('import')}>Import products</Button>}
        <Button class="quiet" onClick={() => setOpened('export')}>
          Export products
        </Button>
      </PageHead>
      <PagesOf list={list} one="task" empty={<NoJobs />}>
        {(jobs) => (
          <ul class="jobs">
            {jobs.map((job) => (
              <JobPanel {...{ job, checked }} onChange={list.reload} key={job.id} />
            ))}
          </ul>
        )}
      </PagesOf>
      {opened === 'import' && <ImportDialog onClose={close} onDone={list.reload} onChecked={setChecked} />}
      {opened === 'export' && <ExportDialog onClose={close} onDone={list.reload} />}
    </>
  )
}

const NoJobs = () => (
  <Empty title="Nothing in the last day">
    <p>
      Bring your products from a spreadsheet, Shopify or WooCommerce. Their progress and what went wrong appear here.
    </p>
  </Empty>
)

const words: Readonly<Record<string, string>> = {
  import: 'Import of products',
  export: 'Export of products',
  'products.bulk': 'Change of many products',
}

const statusWords: Readonly<Record<MerchantJob['status'], [text: string, tone: string]>> = {
  queued: ['Waiting', 'plain'],
  running: ['Running', 'warn'],
  done: ['Done', 'good'],
  failed: ['Failed', 'bad'],
  cancelled: ['Cancelled', 'plain'],
}

const JobPanel = ({ job, checked, onChange }: { job: MerchantJob; checked: Checked | null; onChange: () => void }) => {
  const [text, tone] = statusWords[job.status]
  const isOpen = job.status === 'queued' || job.status === 'running'
  const [isBusy, setBusy] = useState(false)
  const work = async (call: () => Promise<unknown>) => {
    setBusy(true)
    try {
      await call()
      onChange()
    } catch (error) {
      showNotice(wordProblem(error))
    } finally {
      setBusy(false)
    }
  }
  const name = words[job.type] ?? job.type
  return (
    <li class="panel">
      <div class="page-head">
        <div class="row">
          <h2>{name}</h2>
          <span class={`status ${tone}`}>{text}</span>
        </div>
        {isOpen && (
          <Button class="quiet small" isBusy={isBusy} onClick={() => work(() => admin().cancelJob({ jobId: job.id }))}>
            Stop<span class="hidden"> {name.toLowerCase()}</span>
          </Button>
        )}
        {job.type === 'export' && job.status === 'done' && (
          <a class="button small" href={`/admin/v1/stores/${store.value?.id}/jobs/${job.id}/file`} download>
            Download
          </a>
        )}
      </div>
      {isOpen && (
        <p>
          <progress max={100} value={job.percent} aria-label={`Progress of ${name.toLowerCase()}`} /> {job.percent} %
          {job.total > 0 && `, ${counted(job.done, 'product')} of ${counted(job.total, 'product')}`}
        </p>
      )}
      <Result job={job} />
      {checked?.jobId === job.id && job.status === 'done' && (
        <Button
          isBusy={isBusy}
          onClick={() => work(() => admin().createJob({ ...checked.input, dryRun: false }, { timeoutMs: uploadMs }))}
        >
          Import this file now
        </Button>
      )}
      <p class="quiet-text">
        {job.author}, {dateTime(job.createdAt)}
      </p>
    </li>
  )
}

const shownFaults = 20

const Result = ({ job: { result, faults } }: { job: MerchantJob }) => {
  const counts = Object.entries(result ?? {}).filter(
    ([name, value]) => typeof value === 'number' && value > 0 && name !== 'faultCount',
  )
  return (
    <>
      {counts.length > 0 && (
        <p>{counts.map(([name, count]) => `${count} ${name.replace(/([A-Z])/g, ' $1').toLowerCase()}`).join(', ')}</p>
      )}
      {faults.length > 0 && (
        <details open={faults.length <= shownFaults}>
          <summary>{counted(faults.length, 'problem')}</summary>
          <ul class="faults">
            {faults.slice(0, 100).map(({ line, field, message }) => (
              <li key={`${line} ${field} ${message}`}>
                Line {line}
                {field && `, ${field}`}: {message}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

type DialogProps = { onClose: () => void; onDone: () => void }

const ImportDialog = ({ onClose, onDone, onChecked }: DialogProps & { onChecked: (checked: Checked) => void }) => {
  const [file, setFile] = useState<File | null>(null)
  const [format, setFormat] = useState('')
  const [dryRun, setDryRun] = useState(true)
  const [setStock, setSetStock] = useState(false)
  const [skipBad, setSkipBad] = useState(false)
  const submit = async () => {
    if (file === null) return
    const input: AdminCreateJobInput = {
      ...{ file, type: 'import', dryRun, setStock, skipBad },
      ...(format === '' ? {} : { format: format as NonNullable<AdminCreateJobInput['format']> }),
    }
    const { id: jobId } = await admin().createJob(input, { timeoutMs: uploadMs })
    if (dryRun) onChecked({ jobId, input })
    onDone()
    showNotice(dryRun ? 'The file is being checked. Nothing is written.' : 'The import has begun.')
  }
  return (
    <FormDialog
      title="Import products"
      action={dryRun ? 'Check the file' : 'Import'}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label="File" help="Products that the file does not name stay as they are.">
        {(own) => (
          <input
            {...{ ...own, type: 'file', name: 'file', required: true, accept: '.csv,.json,.jsonl,.ndjson,.txt' }}
            onChange={(event) => setFile(event.currentTarget.files?.[0] ?? null)}
          />
        )}
      </Field>
      <SelectField
        {...{ label: 'Format', name: 'format', value: format, onChange: setFormat, options: importFormats }}
      />
      <CheckField
        {...{ label: 'Only check the file', name: 'dryRun', isChecked: dryRun, onChange: setDryRun }}
        help="Reports what would change, and writes nothing."
      />
      <CheckField
        {...{ label: 'Set the stock of existing products too', name: 'setStock', isChecked: setStock }}
        onChange={setSetStock}
        help="A file is usually older than the last sale. Stock of new products is always set."
      />
      <CheckField
        {...{ label: 'Skip products with mistakes', name: 'skipBad', isChecked: skipBad, onChange: setSkipBad }}
        help="Otherwise one mistake refuses the whole file."
      />
    </FormDialog>
  )
}

const ExportDialog = ({ onClose, onDone }: DialogProps) => {
  const [format, setFormat] = useState<string>('csv')
  const submit = async () => {
    await admin().exportProducts({ format: format as NonNullable<AdminExportProductsInput['format']> })
    onDone()
    showNotice('The export has begun. The file can be downloaded here for a day.')
  }
  return (
    <FormDialog title="Export products" action="Export" onSubmit={submit} onClose={onClose}>
      <SelectField
        {...{ label: 'Format', name: 'format', value: format, onChange: setFormat, options: exportFormats }}
      />
    </FormDialog>
  )
}
