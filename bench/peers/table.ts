import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { type JourneyName, journeyNames, type MeasuredJourney } from './driver.ts'

/** A measured journey of a product, with milliseconds of processor time. */
export type PeerRow = MeasuredJourney & {
  journey: JourneyName
  row: string
  nodeMs: number
  databaseMs: number | undefined
}

const columns = [
  'journey',
  'calls',
  'per second',
  'of Vitrine',
  'p50 ms',
  'p99 ms',
  'Node ms',
  'database ms',
  'processor, of Vitrine',
]

/** Adds rows to those that a file has of earlier runs, in place of older rows of the same name. */
export const keepRows = (file: string, rows: readonly PeerRow[]): PeerRow[] => {
  const earlier: PeerRow[] = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []
  const isNew = (old: PeerRow) => !rows.some(({ journey, row }) => journey === old.journey && row === old.row)
  const all = [...earlier.filter(isNew), ...rows]
  writeFileSync(file, JSON.stringify(all, null, 2))
  return all
}

/** A table in Markdown, journey by journey. Ratios are to Vitrine without its cache, which neither of the others has. */
export const formatPeerTable = (rows: readonly PeerRow[]): string => {
  const lines = journeyNames.flatMap((journey) => {
    const ofJourney = rows.filter((row) => row.journey === journey)
    const base =
      ofJourney.find(({ row }) => row === 'Vitrine, uncached') ?? ofJourney.find(({ row }) => row === 'Vitrine')
    return ofJourney.map((row) => formatRow(row, base))
  })
  return [`| ${columns.join(' | ')} |`, `|${columns.map(() => '---|').join('')}`, ...lines].join('\n')
}

const formatRow = (row: PeerRow, base: PeerRow | undefined) => {
  const cells = [
    `${row.journey}: ${row.row}${row.failures > 0 ? ` (${row.failures} failed)` : ''}`,
    formatFigure(row.calls, 0),
    formatFigure(row.perSecond),
    base === undefined ? '–' : formatFigure(row.perSecond / base.perSecond, 2),
    formatFigure(row.p50, 1),
    formatFigure(row.p99, 1),
    formatFigure(row.nodeMs, 2),
    formatFigure(row.databaseMs, 2),
    base === undefined ? '–' : `${formatFigure(processorMs(row) / processorMs(base), 1)}`,
  ]
  return `| ${cells.join(' | ')} |`
}

const processorMs = ({ nodeMs, databaseMs }: PeerRow) => nodeMs + (databaseMs ?? Number.NaN)

/** Without digits, as many as a small figure needs. */
export const formatFigure = (value: number | undefined, digits?: number) =>
  value === undefined || Number.isNaN(value)
    ? '–'
    : value.toLocaleString('en', {
        minimumFractionDigits: digits ?? (value < 100 ? 1 : 0),
        maximumFractionDigits: digits ?? (value < 100 ? 1 : 0),
      })
