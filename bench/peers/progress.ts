import type { ChildProcess } from 'node:child_process'

/** Says what takes long, and every ten seconds that it still does. */
export const beginProgress = (say: (text: string) => void, what: string) => {
  const began = performance.now()
  const seconds = () => `${Math.round((performance.now() - began) / 1000)} s`
  say(what)
  const timer = setInterval(() => say(`${what}: ${seconds()} so far`), 10_000)
  return () => {
    clearInterval(timer)
    say(`${what}: done after ${seconds()}`)
  }
}

/** A product is ready when this address answers with success. */
export const untilAnswers = async (url: string, child: ChildProcess) => {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`)
    const ready = await fetch(url).then(
      (answer) => answer.ok,
      () => false,
    )
    if (ready) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
