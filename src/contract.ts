import { catalogContract } from './features/catalog/catalog.contract.ts'
import { storeContract } from './features/catalog/store.contract.ts'
import { healthContract } from './features/health/health.contract.ts'
import { describeApi } from './http/openapi.ts'

/** Every endpoint there is. Routes, OpenAPI and the tests that try each one start from this list. */
export const contracts = [catalogContract, storeContract, healthContract]

export const describeVitrine = (version: string) =>
  describeApi(contracts, {
    title: 'Vitrine',
    version,
    description:
      'The storefront API of Vitrine. Money is a decimal number in the currency of the store, times are ISO 8601 in UTC, and every error is `{error, code}`.',
    tags: {
      Catalog: 'Products, categories and search',
      Store: 'The store, its settings and its menu',
      Operating: 'Health, description and figures; no key needed',
    },
  })
