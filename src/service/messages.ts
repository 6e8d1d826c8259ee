import type { DemoKeys } from '../features/demo-store/demo-store.ts'
import type { PermitAnswer, PermitAsk, PermitPlace, PermitReturn } from './permit-messages.ts'

/** `serve` answers requests. `background` runs the jobs of all, and the demo shop. */
export type WorkerRole = 'serve' | 'background'

/** What the main process has prepared. It is sent as a message: others could read arguments and environments. */
export type WorkerSetup = {
  role: WorkerRole
  /** 0 does the background work. */
  number: number
  connection: object
  directConnection: object
  secrets: readonly string[]
  databasePoolSize: number
  maxUploads: number
  demo: DemoKeys | null
}

/** A one-time password that a worker has sent. */
export type SentCode = { storeId: string; phone: string; code: string }

/** The address of the demo shop, or why it does not run. */
export type ShopState = { url: string } | { reason: string }

/** One call to count: an id, the length of its window, and the time. */
export type CountedCall = readonly [id: string, windowMs: number, nowMs: number]

export type ToWorker =
  | { kind: 'begin'; setup: WorkerSetup }
  | { kind: 'counts'; batch: number; counts: readonly number[] }
  | { kind: 'permits'; answers: readonly PermitAnswer[] }
  | { kind: 'recall permits'; place: PermitPlace }
  | { kind: 'run soon'; job: string; storeId: number | undefined }
  | ({ kind: 'code' } & SentCode)
  | { kind: 'read metrics'; reading: number }
  | { kind: 'metrics'; reading: number; metrics: readonly object[][] }
  | { kind: 'stop' }

export type ToMain =
  | { kind: 'loaded' }
  | { kind: 'ready'; port: number; shop: ShopState | null }
  | { kind: 'failed'; message: string; isForOperator: boolean }
  | { kind: 'count'; batch: number; calls: readonly CountedCall[] }
  | { kind: 'uncount'; call: CountedCall }
  | { kind: 'ask permits'; asks: readonly PermitAsk[] }
  | { kind: 'return permits'; returned: PermitReturn }
  | { kind: 'run soon'; job: string; storeId: number | undefined }
  | ({ kind: 'code' } & SentCode)
  | { kind: 'gather metrics'; reading: number }
  | { kind: 'metrics'; reading: number; metrics: object[] }
