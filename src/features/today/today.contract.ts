import Type from 'typebox'
import { named } from '../../http/schema.ts'
import { adminEndpoint, storeParams } from '../access/admin.contract.ts'

const countedUpTo = (most: string) =>
  Type.Object({
    total: Type.Integer({ description: `Counts up to ${most}` }),
    totalIsExact: Type.Boolean({ description: 'Otherwise there are more' }),
  })
const count = (description: string, most = '10,000') => Type.Union([countedUpTo(most), Type.Null()], { description })

export const todayContract = {
  adminToday: adminEndpoint({
    ...{ method: 'GET', path: '/admin/v1/stores/{storeId}/today', tag: 'Today', access: 'store', params: storeParams },
    ...{ permission: 'orders:read', orPermission: 'catalog:read' },
    summary: 'Count what needs to be done',
    description: 'What the caller may not read is null.',
    ok: named(
      'AdminToday',
      Type.Object({
        unpaid: count('Orders that wait for their payment'),
        toShip: count('Orders with something left to ship: paid, or with cash on delivery'),
        attention: count('Orders that need attention'),
        returns: count('Returns that customers ask for'),
        lowStock: count('Variants at outlets that are low in stock or sold out', '1,000'),
        failingWebhooks: count('Webhook endpoints that fail, or were switched off because they did'),
      }),
    ),
    example: {
      unpaid: { total: 2, totalIsExact: true },
      toShip: { total: 5, totalIsExact: true },
      attention: { total: 0, totalIsExact: true },
      returns: { total: 1, totalIsExact: true },
      lowStock: { total: 7, totalIsExact: true },
      failingWebhooks: null,
    },
  }),
}
