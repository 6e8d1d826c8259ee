import { bindRoutes, type Door } from './door.ts'
import { endpointOf, type Family } from './endpoint.ts'

/** A family for tests whose endpoints anyone may call. */
export const openFamily: Family<'test'> = {
  ...{ name: 'test', securitySchemes: {}, parameters: {}, headers: {} },
  describe: () => ({ security: [], parameters: [], headers: [], codes: [] }),
}

export const openEndpoint = endpointOf<{ access: 'public' }>()(openFamily)

export const openRoutes = bindRoutes<'test', { public: object }>()

export const openDoor: Door = {
  family: openFamily,
  admit: () => ({ cacheStore: 0, cacheScope: 0 }),
  authorize: () => {},
}
