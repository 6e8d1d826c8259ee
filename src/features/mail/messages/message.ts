import type { Language } from '../../../core/languages.ts'
import { toHeaderText } from '../../../core/mail-address.ts'
import type { Store } from '../../context.ts'
import { createFormat, type Format } from '../format.ts'
import type { Block } from '../render/blocks.ts'
import { textsIn } from '../texts/texts.ts'
import type { Texts } from '../texts/texts-type.ts'

/** What every message is written with. */
export type MessageCtx = {
  texts: Texts
  format: Format
  /** The name of the store. */
  store: string
  /** The storefront that the reader uses. */
  storeUrl: string
}

const maxNameLength = 80

export const createMessageCtx = (
  store: Pick<Store, 'name' | 'domain' | 'locale' | 'timezone'>,
  language: Language,
  storeUrl = store.domain,
): MessageCtx => ({
  texts: textsIn(language),
  format: createFormat(store, language),
  store: toHeaderText(store.name, maxNameLength),
  storeUrl,
})

export const greet = ({ texts }: MessageCtx, name: string): Block => ({
  kind: 'paragraph',
  text: texts.greeting(showName(toHeaderText(name, maxNameLength))),
})

/**
 * Customers choose their names, and may enter the address of another person. Mail programs make links of what looks
 * like one, so such a name is left out. In others, such as `Dr.Rao`, a space after the dot prevents it.
 */
const showName = (name: string) =>
  looksLikeLink(name) ? '' : name.replaceAll(/[.\u3002\uff0e\uff61](?=[\p{L}\p{M}\p{N}])/gu, '$& ')

/** `https://a`, `www.a` and `a.example` in lower case, with any of the dots that browsers take for one. */
const looksLikeLink = (text: string) =>
  /:\/\/|[wW]{3}[.\u3002\uff0e\uff61]|[^\s.][.\u3002\uff0e\uff61]\p{Ll}[\p{L}\p{M}]/u.test(text)

export const paragraph = (text: string): Block => ({ kind: 'paragraph', text })

export const note = (text: string): Block => ({ kind: 'paragraph', text, isMuted: true })
