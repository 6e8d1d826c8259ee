import { useEffect, useRef } from 'preact/hooks'

const everyMs = 5_000

/** Calls `refresh` every few seconds while the page is visible, and at once when it becomes visible again. */
export const useLive = (refresh: () => void | Promise<void>) => {
  const latest = useRef(refresh)
  latest.current = refresh
  useEffect(() => {
    const run = () => {
      if (document.visibilityState === 'visible') void latest.current()
    }
    const timer = setInterval(run, everyMs)
    document.addEventListener('visibilitychange', run)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', run)
    }
  }, [])
}
