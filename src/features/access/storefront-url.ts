import { fail } from '../../core/errors.ts'
import type { Store } from '../context.ts'

type Listed = Pick<Store, 'domain' | 'origins'>

/**
 * Checks the origin of the page that the shopper returns to after paying. It must equal an entry of the store's
 * allowlist, or its domain, character by character. Nothing is trimmed, completed or decoded: any difference between
 * our parsing and that of a browser would be an open redirect.
 */
export const checkStorefrontUrl = (store: Listed, text: string): string => {
  if (isListed(store, text)) return text
  throw fail('BAD_REQUEST', 'storefrontUrl must be an origin on the allowlist of the store, or its domain.')
}

const isListed = ({ domain, origins }: Listed, text: string) => text === domain || origins.has(text)

/** The origin of the order if it is still on the allowlist, otherwise the domain of the store. */
export const returnOrigin = (store: Listed, storefrontUrl: string | null): string =>
  storefrontUrl !== null && isListed(store, storefrontUrl) ? storefrontUrl : store.domain
