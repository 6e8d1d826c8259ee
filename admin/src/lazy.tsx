import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { PathParams } from '../../ui/router.ts'
import { Problem, Skeleton } from '../../ui/states.tsx'

type Screen = ComponentType<PathParams>

/** A screen that is loaded when it is first opened. */
export const lazy = (load: () => Promise<Screen>): Screen => {
  let loaded: Screen | null = null
  return (params) => {
    const [Shown, setShown] = useState<Screen | null>(() => loaded)
    const [error, setError] = useState<unknown>(null)
    const [round, setRound] = useState(0)
    useEffect(() => {
      if (loaded !== null) return
      setError(null)
      load().then((screen) => {
        loaded = screen
        setShown(() => screen)
      }, setError)
    }, [round])
    if (Shown !== null) return <Shown {...params} />
    if (error === null) return <Skeleton lines={6} />
    // A new version of the service has other files.
    const retry = () => (round > 0 ? location.reload() : setRound(round + 1))
    return <Problem text="This screen could not be loaded." onRetry={retry} />
  }
}
