import { percent } from '../format.ts'

/** How much a figure has changed against the period before. */
export const Change = ({ now, before }: { now: number; before: number }) => {
  if (before === 0) return <span class="change quiet-text">{now === 0 ? 'As before' : 'Nothing before'}</span>
  const share = (now - before) / Math.abs(before)
  if (share === 0) return <span class="change quiet-text">As before</span>
  return (
    <span class={`change ${share > 0 ? 'up' : 'down'}`}>
      <span aria-hidden="true">{share > 0 ? '▲' : '▼'} </span>
      {percent(Math.abs(share))} {share > 0 ? 'more' : 'less'}
    </span>
  )
}
