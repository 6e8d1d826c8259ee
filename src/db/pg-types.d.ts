import 'pg'
import type { Duplex } from 'node:stream'

/** Members of pg that its types do not declare. */
declare module 'pg' {
  interface ClientBase {
    readonly connection: { readonly stream: Duplex }
  }
  interface Client {
    ref(): void
    unref(): void
  }
}
