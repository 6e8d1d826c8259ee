export const isHealthy = async (url: string) => {
  try {
    return (await fetch(`${url}/health`, { signal: AbortSignal.timeout(5_000) })).ok
  } catch {
    return false
  }
}
