import type { SMTPPoolOptions, SMTPPoolSentMessageInfo, Transporter } from 'nodemailer'

/** A pool of nodemailer with one connection, which it opens, keeps for a while and replaces when it is lost. */
export type SmtpConnection = Transporter<SMTPPoolSentMessageInfo, SMTPPoolOptions>

type Open = () => Promise<SmtpConnection>

/**
 * Up to `max` connections, each for one mail at a time, so that an abort ends the connection of its own mail only. A
 * pool of nodemailer with several connections can only end all of them.
 */
export const createSmtpConnections = (max: number, open: Open) => {
  const slots = createSlots(max)
  const idle: SmtpConnection[] = []
  const busy = new Set<SmtpConnection>()

  /** Rejects with the reason of the signal while no connection is free. */
  const use = async <Result>(
    signal: AbortSignal | undefined,
    work: (connection: SmtpConnection) => Promise<Result>,
  ): Promise<Result> => {
    await slots.enter(signal)
    try {
      // The last one used, so that the others close after their idle time.
      const connection = idle.pop() ?? (await open())
      busy.add(connection)
      const abandon = () => {
        busy.delete(connection)
        end(connection, true)
      }
      signal?.addEventListener('abort', abandon, { once: true })
      try {
        // It may have been aborted while the connection was made.
        signal?.throwIfAborted()
        return await work(connection)
      } finally {
        signal?.removeEventListener('abort', abandon)
        // Unless it was ended meanwhile.
        if (busy.delete(connection)) idle.push(connection)
      }
    } finally {
      slots.leave()
    }
  }

  /** Mail that is being sent is completed. */
  const close = () => {
    for (const connection of [...idle.splice(0), ...busy]) end(connection, false)
    busy.clear()
  }

  return { use, close }
}

const end = (connection: SmtpConnection, force: boolean) => connection.transporter.close?.({ force })

/** Lets `max` through at once. The others wait in order. */
const createSlots = (max: number) => {
  let free = max
  const waiting = new Set<() => void>()
  return {
    enter: async (signal?: AbortSignal) => {
      signal?.throwIfAborted()
      if (free > 0) {
        free--
        return
      }
      await new Promise<void>((resolve, reject) => {
        const giveUp = () => {
          waiting.delete(start)
          reject(signal?.reason)
        }
        const start = () => {
          signal?.removeEventListener('abort', giveUp)
          resolve()
        }
        waiting.add(start)
        signal?.addEventListener('abort', giveUp, { once: true })
      })
    },
    // The slot passes to the next in the queue, so that nobody takes it in between.
    leave: () => {
      const [next] = waiting
      if (next === undefined) {
        free++
        return
      }
      waiting.delete(next)
      next()
    },
  }
}
