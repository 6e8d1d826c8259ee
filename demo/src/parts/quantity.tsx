import { useRef, useState } from 'preact/hooks'

/** Minus button, number input, plus button. Several quick clicks call `onChange` once. */
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
  /** When its promise resolves, the component shows `value` again. */
  onChange: (quantity: number) => unknown
}) => {
  const [chosen, setChosen] = useState<number | null>(null)
  const shown = chosen ?? value
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  /** The number of pending `onChange` calls, and the last quantity that was passed. */
  const sent = useRef({ count: 0, last: value })
  const latestOnChange = useRef(onChange)
  latestOnChange.current = onChange
  const settle = () => {
    if (sent.current.count === 0 && timer.current === undefined) setChosen(null)
  }
  const choose = (quantity: number) => {
    const next = Math.max(1, Math.min(Math.max(1, max), Math.round(quantity) || 1))
    const send = async () => {
      timer.current = undefined
      sent.current = { count: sent.current.count + 1, last: next }
      await latestOnChange.current(next)
      sent.current.count--
      settle()
    }
    clearTimeout(timer.current)
    timer.current = undefined
    setChosen(next)
    // A pending call will change the value, so compare with its quantity.
    if (next === (sent.current.count > 0 ? sent.current.last : value)) settle()
    else if (waitMs === 0) void send()
    else timer.current = setTimeout(send, waitMs)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out in a row of controls.
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
