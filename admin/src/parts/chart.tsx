import { useState } from 'preact/hooks'

/** Pictures of numbers. Words and numbers are given, so that any screen can use them. */

export type ChartPoint = {
  /** In full, such as "17 November 2026". */
  name: string
  /** On the axis, such as "17 Nov". */
  label: string
  value: number
  /** At the same place of the period before. */
  before?: number | undefined
}

/** What half of it is easy to read as well. */
const roundSteps = [1, 2, 3, 4, 5, 6, 8, 10]

/** The least round number that is not below the value. */
const roundUp = (value: number) => {
  if (value <= 0) return 0
  const power = 10 ** Math.floor(Math.log10(value))
  return (roundSteps.find((step) => step * power >= value) ?? 10) * power
}

const valuesOf = ({ value, before }: ChartPoint) => (before === undefined ? [value] : [value, before])

/** A line over time. Arrow keys and the pointer read single values, and a table below has them all. */
export const TimeChart = ({
  title,
  points,
  format,
  axis = format,
  timeName,
  beforeName,
  hasTable = true,
}: {
  title: string
  points: readonly ChartPoint[]
  format: (value: number) => string
  /** Shorter, for the scale. */
  axis?: (value: number) => string
  /** What a point is, such as "Day". */
  timeName: string
  /** What the other line is, such as "30 days before". */
  beforeName?: string
  /** Not if the screen shows the same figures anyway. */
  hasTable?: boolean
}) => {
  const [at, setAt] = useState<number | null>(null)
  const last = points.length - 1
  const [first] = points
  if (first === undefined) return null
  const top = roundUp(Math.max(...points.flatMap(valuesOf))) || 1
  const bottom = 0 - roundUp(-Math.min(0, ...points.flatMap(valuesOf)))
  const isFlat = points.flatMap(valuesOf).every((value) => value === 0)
  const x = (index: number) => (last === 0 ? 50 : (index / last) * 100)
  const y = (value: number) => ((top - value) / (top - bottom)) * 100
  const lineOf = (values: readonly (number | undefined)[]) =>
    values.flatMap((value, index) => (value === undefined ? [] : `${x(index)} ${y(value)}`)).join(' L ')
  const line = lineOf(points.map(({ value }) => value))
  const before = lineOf(points.map((point) => point.before))
  const highest = points.reduce((best, point) => (point.value > best.value ? point : best), first)
  const tell = ({ name, value, before: earlier }: ChartPoint) =>
    `${name}: ${format(value)}${earlier === undefined || beforeName === undefined ? '' : ` (${beforeName}: ${format(earlier)})`}`
  const summary = highest.value > 0 ? `Highest on ${tell(highest)}` : 'Nothing in this period.'
  const pointed = at === null ? undefined : points[at]
  const move = (event: KeyboardEvent) => {
    const now = at ?? last
    const next = { ArrowLeft: now - 1, ArrowRight: at === null ? now : now + 1, Home: 0, End: last }[event.key]
    if (next === undefined) return
    event.preventDefault()
    setAt(Math.min(Math.max(next, 0), last))
  }
  const point = (event: PointerEvent) => {
    if (!(event.currentTarget instanceof HTMLElement)) return
    const { left, width } = event.currentTarget.getBoundingClientRect()
    setAt(Math.min(Math.max(Math.round(((event.clientX - left) / width) * last), 0), last))
  }
  return (
    <figure class="chart">
      <figcaption class="chart-reading">{pointed === undefined ? summary : tell(pointed)}</figcaption>
      <div class="chart-frame">
        <div class="chart-scale" aria-hidden="true">
          {[top, (top + bottom) / 2, bottom].map((value) => (
            <span key={value}>{isFlat && value !== 0 ? '' : axis(value)}</span>
          ))}
        </div>
        <div
          class="chart-plot"
          role="slider"
          tabIndex={0}
          aria-label={`${title}. ${summary}`}
          aria-valuemin={0}
          aria-valuemax={last}
          aria-valuenow={at ?? last}
          aria-valuetext={tell(pointed ?? points[last] ?? first)}
          onKeyDown={move}
          onPointerMove={point}
          onPointerDown={point}
          onPointerLeave={() => setAt(null)}
          onBlur={() => setAt(null)}
        >
          <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
            {[0, 50, 100].map((height) => (
              <path class="chart-grid" d={`M 0 ${height} H 100`} key={height} />
            ))}
            <path class="chart-area" d={`M ${x(0)} ${y(0)} L ${line} L ${x(last)} ${y(0)} Z`} />
            {before !== '' && <path class="chart-before" d={`M ${before}`} />}
            <path class="chart-line" d={`M ${line}`} />
            {at !== null && <path class="chart-at" d={`M ${x(at)} 0 V 100`} />}
          </svg>
          {(last === 0 || pointed !== undefined) && (
            <span
              class="chart-dot"
              style={{ left: `${x(at ?? 0)}%`, top: `${y((pointed ?? first).value)}%` }}
              aria-hidden="true"
            />
          )}
        </div>
        <div class="chart-times" aria-hidden="true">
          {[...new Set([0, Math.round(last / 2), last])].map((index) => (
            <span key={index}>{points[index]?.label}</span>
          ))}
        </div>
      </div>
      {before !== '' && beforeName !== undefined && (
        <p class="chart-key quiet-text" aria-hidden="true">
          <span class="chart-key-line" /> {beforeName}
        </p>
      )}
      {hasTable && (
        <details class="chart-figures">
          <summary>Figures as a table</summary>
          <table>
            <caption class="hidden">{title}</caption>
            <thead>
              <tr>
                <th scope="col">{timeName}</th>
                <th scope="col">{title}</th>
                {beforeName !== undefined && <th scope="col">{beforeName}</th>}
              </tr>
            </thead>
            <tbody>
              {points.map((one) => (
                <tr key={one.name}>
                  <th scope="row">{one.name}</th>
                  <td>{format(one.value)}</td>
                  {beforeName !== undefined && <td>{one.before === undefined ? '–' : format(one.before)}</td>}
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      )}
    </figure>
  )
}

export type ChartBar = { key: string; name: string; href?: string | undefined; value: number; detail?: string }

/** Horizontal bars with their names and values, as a list that can be read without seeing them. */
export const BarChart = ({
  title,
  bars,
  format,
}: {
  title: string
  bars: readonly ChartBar[]
  format: (value: number) => string
}) => {
  const longest = Math.max(...bars.map(({ value }) => value), 0) || 1
  return (
    <ul class="bars" aria-label={title}>
      {bars.map(({ key, name, href, value, detail }) => (
        <li key={key}>
          <span class="bar-name">
            {href === undefined ? name : <a href={href}>{name}</a>}
            {detail && <span class="quiet-text"> {detail}</span>}
          </span>
          <span class="bar-value">{format(value)}</span>
          <svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
            <rect class="bar-ground" width="100" height="1" />
            <rect class="bar-length" width={(Math.max(value, 0) / longest) * 100} height="1" />
          </svg>
        </li>
      ))}
    </ul>
  )
}
