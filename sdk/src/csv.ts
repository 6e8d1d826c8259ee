import { VitrineError } from './errors.ts'
import { withTimeout } from './time.ts'

/**
 * A list as CSV. `await` returns the whole text; `for await` yields it piece by piece as it arrives, which suits long
 * lists. Nothing is sent before one of them starts.
 */
export class CsvText implements PromiseLike<string>, AsyncIterable<string> {
  readonly #read: () => AsyncGenerator<string>
  #text: Promise<string> | null = null

  constructor(read: () => AsyncGenerator<string>) {
    this.#read = read
  }

  #whole() {
    this.#text ??= join(this.#read())
    return this.#text
  }

  // biome-ignore lint/suspicious/noThenProperty: the text is meant to be awaited.
  then<A = string, B = never>(
    onText?: ((text: string) => A | PromiseLike<A>) | null,
    onFailure?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#whole().then(onText, onFailure)
  }

  catch<Other = never>(onFailure: (reason: unknown) => Other | PromiseLike<Other>) {
    return this.#whole().catch(onFailure)
  }

  finally(onEnd: () => void) {
    return this.#whole().finally(onEnd)
  }

  [Symbol.asyncIterator]() {
    return this.#read()
  }
}

const join = async (pieces: AsyncIterable<string>) => {
  let text = ''
  for await (const piece of pieces) text += piece
  return text
}

/** The stream of a CSV answer. Anything else, such as a page of a proxy, is refused as a JSON parser would refuse it. */
export const openCsv = async ({ headers, body }: Response): Promise<ReadableStream<Uint8Array>> => {
  if (body === null || !headers.get('content-type')?.startsWith('text/csv')) throw new SyntaxError('not CSV')
  return body
}

/** Decodes a stream. The time limit applies to the wait for each piece. */
export async function* readPieces(
  stream: ReadableStream<Uint8Array>,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<string> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  try {
    for (;;) {
      const { done, value } = await withTimeout(() => reader.read(), timeoutMs, signal)
      const text = decoder.decode(value, { stream: !done })
      if (text !== '') yield text
      if (done) return
    }
  } catch (cause) {
    if (cause instanceof VitrineError) throw cause
    throw new VitrineError('NETWORK', 'The answer was cut off.', { cause })
  } finally {
    // Also after `break`, so that the service stops sending.
    await reader.cancel().catch(() => {})
  }
}
