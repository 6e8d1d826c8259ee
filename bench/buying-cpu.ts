import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'

/** Seconds of processor time so far: of the service, of the database with all its processes, and of wrk or pgbench. */
export type ProcessorTimes = { service: number; database: number; driver: number }

const fieldsOf = (pid: number | 'self') => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  const seconds = (i: number) => Number(fields[i]) / 100
  return { parent: Number(fields[1]), own: seconds(11) + seconds(12), ended: seconds(13) + seconds(14) }
}

/** The postmaster, which is the parent of the backend that answers this query. */
export const findServer = async (connection: pg.ClientConfig): Promise<number> => {
  const client = new pg.Client(connection)
  await client.connect()
  const { rows } = await client.query('select pg_backend_pid() as pid')
  const { parent } = fieldsOf(rows[0].pid)
  await client.end()
  return parent
}

export const readProcessorTimes = (servicePid: number, serverPid: number): ProcessorTimes => {
  const server = fieldsOf(serverPid)
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => childTime(Number(name), serverPid))
  return {
    service: fieldsOf(servicePid).own,
    // The time of an ended process is counted by its parent.
    database: children.reduce((sum, time) => sum + time, server.own + server.ended),
    driver: fieldsOf('self').ended,
  }
}

const childTime = (pid: number, parent: number) => {
  try {
    const fields = fieldsOf(pid)
    return fields.parent === parent ? fields.own : 0
  } catch {
    // It has ended since it was listed.
    return 0
  }
}

/** Milliseconds per request. */
export const costOfEach = (before: ProcessorTimes, after: ProcessorTimes, count: number): ProcessorTimes => ({
  service: ((after.service - before.service) * 1000) / count,
  database: ((after.database - before.database) * 1000) / count,
  driver: ((after.driver - before.driver) * 1000) / count,
})
