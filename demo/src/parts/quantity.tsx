import { useEffect, useRef, useState } from 'preact/hooks'

/** Minus, a number to type, plus. It waits for the last of several quick presses before it tells. */
export const Quantity = ({
  label,
  value,
  max = 999,
  waitMs = 0,
  onChange,
}: {
  label: string
  value: number
  max?: number
  waitMs?: number
  /** May resolve to false when nothing came of it. */
  onChange: (quantity: number) => unknown
}) => {
  const [shown, setShown] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const latest = useRef({ onChange, value })
  latest.current = { onChange, value }
  useEffect(() => setShown(value), [value])
  const choose = (quantity: number) => {
    const next = Math.max(1, Math.min(Math.max(1, max), Math.round(quantity) || 1))
    setShown(next)
    clearTimeout(timer.current)
    if (next === value) return
    const tellNow = async () => {
      if ((await latest.current.onChange(next)) === false) setShown(latest.current.value)
    }
    if (waitMs === 0) void tellNow()
    else timer.current = setTimeout(tellNow, waitMs)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset in a row of controls cannot be laid out as one of them.
    <div class="quantity" role="group" aria-label={`Quantity of ${label}`}>
      <button type="button" aria-label="One less" disabled={shown <= 1} onClick={() => choose(shown - 1)}>
        −
      </button>
      <input
        type="number"
        inputMode="numeric"
        aria-label={`Quantity of ${label}`}
        min={1}
        max={max}
        value={shown}
        onChange={(event) => choose(Number(event.currentTarget.value))}
      />
      <button type="button" aria-label="One more" disabled={shown >= max} onClick={() => choose(shown + 1)}>
        +
      </button>
    </div>
  )
}
