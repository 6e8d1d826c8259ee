declare global {
  /** Answers by path. */
  var answersAhead: Map<string, Promise<Response>> | undefined
}

/**
 * A script of its own before all others. It asks for what Today shows while the browser still loads the scripts that show
 * it, which saves two waits one after the other. `api.ts` takes the answers.
 */
const askAhead = (paths: readonly string[]) => {
  globalThis.answersAhead = new Map(
    paths.map((path) => {
      const answer = fetch(path)
      // Who takes it sees the failure.
      answer.catch(() => {})
      return [path, answer]
    }),
  )
}

/** The only store of the person, which `/admin` opens. */
const onlyStore = () => {
  try {
    return localStorage.getItem('store')
  } catch {
    return null
  }
}

const pathsOf = (first: string | null, second: string | undefined) => {
  const isToday = first && !second && !/^(account|sign-in|forgot-password|set-password)$/.test(first)
  const inStore = `/admin/v1/stores/${first}`
  return ['/admin/v1/session', ...(isToday ? [`${inStore}/today`, `${inStore}/orders?limit=8`] : [])]
}

const [named, below] = location.pathname.split('/').slice(2)
askAhead(pathsOf(named || onlyStore(), below))
