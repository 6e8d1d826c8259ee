import { useLayoutEffect } from 'preact/hooks'
import { dropDrafts, useDraft } from '../../../ui/load.ts'
import { changeQuery, route } from '../../../ui/router.ts'

/**
 * The token of a link in a mail; empty if there is none. It leaves the address bar and the history at once, so that
 * nobody reads or bookmarks it, and is stored for this tab, so that a reload does not lose it.
 */
export const useLinkToken = (name: string) => {
  const [stored, store] = useDraft(name, '')
  const given = route.value.query.get('token')
  // Before the page is painted.
  useLayoutEffect(() => {
    if (given === null) return
    store(given)
    changeQuery({ token: null })
  }, [given])
  return { token: given ?? stored, dropToken: () => dropDrafts(name) }
}
