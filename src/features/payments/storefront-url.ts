import { fail } from '../../core/errors.ts'
import type { Store } from '../context.ts'

type Listed = Pick<Store, 'domain' | 'origins'>

/**
 * The origin of the page that a shopper comes from, and returns to after paying. It has to be written exactly as it is
 * on the store's list (or be its domain): nothing is trimmed, completed or decoded, since whatever we understood
 * differently from a browser would be a way to send a shopper elsewhere.
 */
export const checkStorefrontUrl = (store: Listed, text: string): string => {
  if (isListed(store, text)) return text
  throw fail('BAD_REQUEST', 'storefrontUrl must be an origin on the allowlist of the store, or its domain.')
}

const isListed = ({ domain, origins }: Listed, text: string) => text === domain || origins.has(text)

/** Where the browser of a shopper goes: the origin of the order while it is on the list, the domain otherwise. */
export const returnOrigin = (store: Listed, storefrontUrl: string | null): string =>
  storefrontUrl !== null && isListed(store, storefrontUrl) ? storefrontUrl : store.domain
