export type Page<Item> = {
  items: Item[]
  /** Pass it as `cursor` to get the next page; null on the last one. */
  nextCursor: string | null
}

/** What an answer has beside the page itself, such as the `total` of a search. */
export type BesideItems<Answer> = Omit<Answer, 'data' | 'nextCursor' | 'hasMore'>

/**
 * A list that can be awaited, which gives one page, and walked with `for await`, which gives every item of this page
 * and all later ones. Nothing is sent before one of both begins, and a page is asked for when it is needed.
 */
export interface Paged<Item, Beside = unknown> extends PromiseLike<Page<Item> & Beside>, AsyncIterable<Item> {
  catch<Other = never>(
    onFailure: (reason: unknown) => Other | PromiseLike<Other>,
  ): Promise<(Page<Item> & Beside) | Other>
  finally(onEnd: () => void): Promise<Page<Item> & Beside>
}

export const paged = <Item, Beside>(
  fetchPage: (cursor: string | null) => Promise<Page<Item> & Beside>,
): Paged<Item, Beside> => {
  let first: Promise<Page<Item> & Beside> | null = null
  const firstPage = () => {
    first ??= fetchPage(null)
    return first
  }
  return {
    // biome-ignore lint/suspicious/noThenProperty: a list is meant to be awaited.
    then: (onPage, onFailure) => firstPage().then(onPage, onFailure),
    catch: (onFailure) => firstPage().catch(onFailure),
    finally: (onEnd) => firstPage().finally(onEnd),
    async *[Symbol.asyncIterator]() {
      let page = await firstPage()
      for (;;) {
        yield* page.items
        if (page.nextCursor === null) return
        page = await fetchPage(page.nextCursor)
      }
    },
  }
}
