import Type, { type Static } from 'typebox'
import { named } from '../../http/schema.ts'
import { endpoint } from '../access/storefront.contract.ts'
import { SearchQuery } from './catalog.contract.ts'

const { q, category, minPrice, maxPrice, inStock } = SearchQuery.properties

export const FiltersQuery = Type.Object({ q: Type.Optional(q), category, minPrice, maxPrice, inStock })
export type FiltersQuery = Static<typeof FiltersQuery>

export const Filters = named(
  'Filters',
  Type.Object({
    options: Type.Array(
      Type.Object({
        name: Type.String(),
        values: Type.Array(
          Type.Object({
            value: Type.String(),
            count: Type.Integer({ description: 'Number of the examined products that have it' }),
          }),
        ),
      }),
    ),
  }),
)
export type Filters = Static<typeof Filters>

export const filtersContract = {
  listFilters: endpoint({
    method: 'GET',
    path: '/v1/filters',
    tag: 'Catalog',
    access: 'store',
    scope: 'products:read',
    cached: true,
    summary: 'List the options that can filter a list or a search',
    description:
      'Takes the filters of the list, or of the search if `q` is given, and returns the options and values of its products: of the newest thousand of a list (at most 200 of each category), or of the best hundred of a search. Send the chosen ones as `options`.',
    query: FiltersQuery,
    ok: Filters,
    example: {
      options: [
        {
          name: 'Size',
          values: [
            { value: 'S', count: 4 },
            { value: 'M', count: 6 },
          ],
        },
      ],
    },
  }),
}
