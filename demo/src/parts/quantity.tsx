import { useRef, useState } from 'preact/hooks'

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
  /** What it resolves to does not matter: once it is done, the value counts again. */
  onChange: (quantity: number) => unknown
}) => {
  const [wished, setWished] = useState<number | null>(null)
  const shown = wished ?? value
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  /** How many tellings are under way, and the number that was told last. */
  const told = useRef({ count: 0, last: value })
  const latestOnChange = useRef(onChange)
  latestOnChange.current = onChange
  const settle = () => {
    if (told.current.count === 0 && timer.current === undefined) setWished(null)
  }
  const choose = (quantity: number) => {
    const next = Math.max(1, Math.min(Math.max(1, max), Math.round(quantity) || 1))
    const tellNow = async () => {
      timer.current = undefined
      told.current = { count: told.current.count + 1, last: next }
      await latestOnChange.current(next)
      told.current.count--
      settle()
    }
    clearTimeout(timer.current)
    timer.current = undefined
    setWished(next)
    // What is under way will come true, whatever the value still is.
    if (next === (told.current.count > 0 ? told.current.last : value)) settle()
    else if (waitMs === 0) void tellNow()
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
