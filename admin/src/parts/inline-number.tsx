import { useId, useState } from 'preact/hooks'
import { inputMoney, inputNumber, readNumber, wordProblem } from '../format.ts'

/**
 * A number in a list that is saved on Enter, or when the field is left. What could not be saved stays in the field, with
 * the reason. Escape restores the saved number.
 */
export const InlineNumber = ({
  label,
  value,
  isWhole = false,
  onSave,
}: {
  label: string
  value: number
  isWhole?: boolean
  onSave: (value: number) => Promise<void>
}) => {
  const [typed, setTyped] = useState<string | null>(null)
  const [state, setState] = useState<'saving' | 'saved' | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const stateId = useId()
  const restore = () => {
    setTyped(null)
    setProblem(null)
  }
  const save = async () => {
    if (typed === null || state === 'saving') return
    const wanted = readNumber(typed)
    if (wanted === value) return restore()
    if (wanted === null || wanted < 0 || (isWhole && !Number.isInteger(wanted))) {
      return setProblem(isWhole ? 'Type a whole number.' : 'Type a number.')
    }
    setState('saving')
    setProblem(null)
    try {
      await onSave(wanted)
      setTyped(null)
      setState('saved')
    } catch (error) {
      setProblem(wordProblem(error))
      setState(null)
    }
  }
  return (
    <span class="inline-number">
      <input
        inputMode={isWhole ? 'numeric' : 'decimal'}
        aria-label={label}
        aria-invalid={problem !== null}
        aria-describedby={problem === null ? undefined : stateId}
        autocomplete="off"
        value={typed ?? (isWhole ? inputNumber(value) : inputMoney(value))}
        onFocus={(event) => event.currentTarget.select()}
        onInput={(event) => {
          setTyped(event.currentTarget.value)
          setState(null)
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') void save()
          if (event.key === 'Escape') restore()
        }}
        onBlur={() => void save()}
      />
      <span class={problem === null ? 'quiet-text' : 'inline-problem'} role="status" id={stateId}>
        {problem ?? (state === 'saving' ? 'Saving …' : state === 'saved' ? 'Saved' : '')}
      </span>
    </span>
  )
}
