import 'pg'
import type { Duplex } from 'node:stream'

/** Members of pg that its types do not declare. */
declare module 'pg' {
  interface ClientBase {
    readonly connection: { readonly stream: Duplex }
    /** Of the session, as the server has named it. */
    readonly processID: number | null
  }
  interface Client {
    ref(): void
    unref(): void
  }
  interface Connection {
    /** The texts of prepared statements by their names: those that are prepared, and those that were sent. */
    readonly parsedStatements: Record<string, string>
    readonly submittedNamedStatements: Record<string, string>
  }
}
