import { VitrineError } from './errors.ts'
import { isObject, type Reply } from './send.ts'

export type Page<Item> = {
  items: Item[]
  /** Pass it as `cursor` to get the next page; null on the last one. */
  nextCursor: string | null
}

/** The fields of an answer besides the page itself, such as the `total` of a search. */
export type BesideItems<Answer> = Omit<Answer, 'data' | 'nextCursor' | 'hasMore'>

/**
 * A paged list. `await` returns one page; `for await` iterates over the items of this page and all later ones. Nothing
 * is sent before one of them starts, and each page is requested when it is needed.
 */
export interface Paged<Item, Beside = unknown> extends PromiseLike<Page<Item> & Beside>, AsyncIterable<Item> {
  catch<Other = never>(
    onFailure: (reason: unknown) => Other | PromiseLike<Other>,
  ): Promise<(Page<Item> & Beside) | Other>
  finally(onEnd: () => void): Promise<Page<Item> & Beside>
}

/** A class, because creating closures for every call would be a third of the client's overhead. */
export class PagedList<Item, Beside> implements Paged<Item, Beside> {
  readonly #fetchPage: (cursor: string | null) => Promise<Page<Item> & Beside>
  #first: Promise<Page<Item> & Beside> | null = null

  constructor(fetchPage: (cursor: string | null) => Promise<Page<Item> & Beside>) {
    this.#fetchPage = fetchPage
  }

  #firstPage() {
    this.#first ??= this.#fetchPage(null)
    return this.#first
  }

  // biome-ignore lint/suspicious/noThenProperty: a list is meant to be awaited.
  then<A = Page<Item> & Beside, B = never>(
    onPage?: ((page: Page<Item> & Beside) => A | PromiseLike<A>) | null,
    onFailure?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#firstPage().then(onPage, onFailure)
  }

  catch<Other = never>(onFailure: (reason: unknown) => Other | PromiseLike<Other>) {
    return this.#firstPage().catch(onFailure)
  }

  finally(onEnd: () => void) {
    return this.#firstPage().finally(onEnd)
  }

  async *[Symbol.asyncIterator]() {
    let page = await this.#firstPage()
    for (;;) {
      yield* page.items
      if (page.nextCursor === null) return
      page = await this.#fetchPage(page.nextCursor)
    }
  }
}

export const toPage = ({ body, headers, status }: Reply): Page<unknown> => {
  if (Array.isArray(body)) return { items: body, nextCursor: headers.get('x-next-cursor') }
  const { data, nextCursor, hasMore: _, ...beside } = isObject(body) ? body : {}
  if (!Array.isArray(data)) throw new VitrineError('BAD_ANSWER', 'The answer is not a page of a list.', { status })
  return { items: data, nextCursor: typeof nextCursor === 'string' ? nextCursor : null, ...beside }
}
