import { type AdminOperations, adminTable, type StaffOperations, staffTable } from './admin-operations.ts'
import type { AdminClientOptions, AdminOperation, ChangeOptions } from './admin-options.ts'
import { CsvText, openCsv, readPieces } from './csv.ts'
import { VitrineError } from './errors.ts'
import { makeMethods, type Run } from './methods.ts'
import type { SenderOptions } from './options.ts'
import { PagedList, toPage } from './paging.ts'
import type { Input } from './request.ts'
import { isObject, type Reply, readJson } from './send.ts'
import { createSender, type Sender } from './sender.ts'

export interface AdminClient extends AdminOperations {}

/** A client of the admin API for one store. Its methods are built from the table in admin-operations.ts. */
export const createAdminClient = (options: AdminClientOptions): AdminClient => {
  const { storeId, token } = options
  if (!storeId) throw new TypeError('storeId is required.')
  if (!token) throw new TypeError('token is required.')
  const sender = createSender(options, {
    accept: 'application/json, text/*',
    authorization: `Bearer ${token}`,
  })
  return methodsInStore(sender, storeId)
}

const methodsInStore = (sender: Sender, storeId: string): AdminClient => {
  const inStore = (operation: AdminOperation): AdminOperation => ({
    ...operation,
    path: operation.path.replace('{storeId}', encodeURIComponent(storeId)),
  })
  const operations = Object.fromEntries(
    Object.entries<AdminOperation>(adminTable).map(([name, operation]) => [name, inStore(operation)]),
  )
  return makeMethods<AdminOperation, AdminOperations, ChangeOptions>(operations, (operation) =>
    runnerOf(operation, sender),
  )
}

export interface StaffClient extends StaffOperations {
  /** The operations in a store of the person who is signed in. */
  inStore(storeId: string): AdminClient
}

/**
 * A client for a page of the service's own origin, where a person signs in: the browser keeps the session in a cookie that
 * scripts cannot read.
 */
export const createStaffClient = (options: SenderOptions): StaffClient => {
  const sender = createSender(options, { accept: 'application/json, text/*' })
  const methods = makeMethods<AdminOperation, StaffOperations, ChangeOptions>(staffTable, (operation) =>
    runnerOf(operation, sender),
  )
  return { ...methods, inStore: (storeId) => methodsInStore(sender, storeId) }
}

const runnerOf = (operation: AdminOperation, { prepare, timeoutOf }: Sender): Run<ChangeOptions> => {
  const call = async <Body>(
    input: Input,
    { ifMatch, ...given }: ChangeOptions,
    read: (response: Response) => Promise<Body>,
  ) => {
    const condition = ifMatch === undefined ? {} : { 'if-match': ifMatch }
    const guarded = { ...given, headers: { ...condition, ...given.headers } }
    const { headers, send } = prepare(operation, input, guarded, operation.file ? toForm : undefined)
    return send(headers, read)
  }

  async function* readCsv(input: Input, given: ChangeOptions) {
    const { body } = await call(input, given, openCsv)
    if (body !== undefined) yield* readPieces(body, timeoutOf(given), given.signal)
  }

  const answer = (input: Input, given: ChangeOptions) => {
    if (operation.paged) {
      return new PagedList((cursor) =>
        call(cursor === null ? input : { ...input, cursor }, given, readJson).then(toPage),
      )
    }
    if (operation.text) return call(input, given, (response) => response.text()).then(({ body }) => body)
    return call(input, given, readJson).then(operation.etag ? toTagged : ({ body }) => body)
  }

  return (input, given = {}) =>
    operation.csv && input.format === 'csv' ? new CsvText(() => readCsv(input, given)) : answer(input, given)
}

const toTagged = ({ body, headers, status }: Reply) => {
  if (!isObject(body)) throw new VitrineError('BAD_ANSWER', 'The answer is not an object.', { status })
  return { ...body, etag: headers.get('etag') ?? '' }
}

const toForm = ({ file, ...fields }: Input): FormData => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined && value !== null) form.append(name, String(value))
  }
  form.append('file', toBlob(file))
  return form
}

const toBlob = (file: unknown): Blob => {
  if (file instanceof Blob) return file
  if (file instanceof ArrayBuffer || file instanceof Uint8Array) return new Blob([new Uint8Array(file)])
  throw new TypeError('file must be a Blob, a File, an ArrayBuffer or a Uint8Array.')
}
