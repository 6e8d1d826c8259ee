import Type, { type TSchema } from 'typebox'
import { listFormat, named, oneOf } from '../../http/schema.ts'
import { adminEndpoint, periodQuery, storeParams } from '../access/admin.contract.ts'

const count = Type.Integer()
const amount = Type.Number()

const amounts = {
  gross: Type.Number({ description: 'Sum of the subtotals' }),
  discount: amount,
  tax: Type.Number({ description: 'As charged' }),
  shipping: amount,
  refunds: Type.Number({ description: 'Of these orders, whenever they were made' }),
  net: Type.Number({ description: 'Sum of the totals less refunds' }),
}

const goods = {
  orders: Type.Integer({ description: 'Orders that contain it' }),
  quantity: count,
  refundedQuantity: count,
  gross: Type.Number({ description: 'Sum of the line totals' }),
  discount: amount,
  tax: amount,
  total: Type.Number({ description: 'What was charged: less the discount, plus tax that prices do not include' }),
}

const report = <Row extends TSchema>(row: Row) => Type.Object({ data: Type.Array(row), currency: Type.String() })

const by = Type.Optional(
  oneOf(['day', 'week', 'month'], { description: 'Weeks begin on Monday. The default is `day`' }),
)
const limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, description: 'The default is 100' }))

const base = {
  method: 'GET',
  tag: 'Reports',
  access: 'store',
  permission: 'reports:read',
  params: storeParams,
  csv: true,
} as const

const exampleAmounts = { gross: 5400, discount: 400, tax: 900, shipping: 120, refunds: 500, net: 4620 }
const exampleGoods = { orders: 3, quantity: 4, refundedQuantity: 1, gross: 3600, discount: 200, tax: 518, total: 3400 }

const period = Type.String({ description: 'A day, the Monday of a week, or a month such as `2026-11`' })

export const reportsContract = {
  adminReportSales: adminEndpoint({
    ...base,
    path: '/admin/v1/stores/{storeId}/reports/sales',
    summary: 'Sales by day, week or month',
    description:
      "An order counts on the day it was placed, in the store's time zone, once it is paid or placed for cash, " +
      'unless it is cancelled. Without `from` and `to`: the last thirty days.',
    query: Type.Object({ ...periodQuery, by, format: listFormat }),
    ok: report(named('SalesOfPeriod', Type.Object({ period, orders: count, ...amounts }))),
    example: { data: [{ period: '2026-11-15', orders: 3, ...exampleAmounts }], currency: 'INR' },
  }),
  adminReportProducts: adminEndpoint({
    ...base,
    path: '/admin/v1/stores/{storeId}/reports/products',
    summary: 'Sales by product, best first',
    query: Type.Object({ ...periodQuery, limit, format: listFormat }),
    ok: report(named('SalesOfProduct', Type.Object({ productId: Type.String(), name: Type.String(), ...goods }))),
    example: {
      data: [{ productId: 'prd_1m7mj220q32w1b1vwkvc69', name: 'Moonstone mug', ...exampleGoods }],
      currency: 'INR',
    },
  }),
  adminReportCategories: adminEndpoint({
    ...base,
    path: '/admin/v1/stores/{storeId}/reports/categories',
    summary: 'Sales by category, best first',
    description: 'Products count in the category that they have now.',
    query: Type.Object({ ...periodQuery, limit, format: listFormat }),
    ok: report(
      named(
        'SalesOfCategory',
        Type.Object({
          categoryId: Type.Union([Type.String(), Type.Null()], { description: 'Null: products without a category' }),
          name: Type.String(),
          ...goods,
        }),
      ),
    ),
    example: { data: [{ categoryId: 'mugs', name: 'Mugs', ...exampleGoods }], currency: 'INR' },
  }),
  adminReportOutlets: adminEndpoint({
    ...base,
    path: '/admin/v1/stores/{storeId}/reports/outlets',
    summary: 'Sales by outlet, best first',
    query: Type.Object({ ...periodQuery, limit, format: listFormat }),
    ok: report(
      named('SalesOfOutlet', Type.Object({ outletId: Type.String(), name: Type.String(), orders: count, ...amounts })),
    ),
    example: { data: [{ outletId: 'main', name: 'Main', orders: 3, ...exampleAmounts }], currency: 'INR' },
  }),
  adminReportCoupons: adminEndpoint({
    ...base,
    path: '/admin/v1/stores/{storeId}/reports/coupons',
    summary: 'Sales with each coupon, best first',
    query: Type.Object({ ...periodQuery, limit, format: listFormat }),
    ok: report(named('SalesOfCoupon', Type.Object({ code: Type.String(), orders: count, ...amounts }))),
    example: { data: [{ code: 'DIWALI10', orders: 3, ...exampleAmounts }], currency: 'INR' },
  }),
  adminReportTax: adminEndpoint({
    ...base,
    path: '/admin/v1/stores/{storeId}/reports/tax',
    summary: 'Tax by rate: charged, refunded and net',
    description:
      'Tax counts in the period in which its order was placed, and refunded tax in the period in which the refund was ' +
      'requested. So an earlier period does not change when one of its orders is refunded later, and `netTax` may be ' +
      'negative. A cancelled order counts nowhere, nor do its refunds. A refund of an amount returns the same share of ' +
      'each rate. The figures are those of the credit notes.',
    query: Type.Object({ ...periodQuery, format: listFormat }),
    ok: report(
      named(
        'TaxOfRate',
        Type.Object({
          rate: Type.Number({ description: 'Percent' }),
          taxable: Type.Number({ description: 'What was charged, without the tax' }),
          tax: Type.Number({ description: 'As charged' }),
          refundedTaxable: Type.Number({ description: 'What was refunded, without the tax' }),
          refundedTax: amount,
          netTaxable: Type.Number({ description: '`taxable` less `refundedTaxable`' }),
          netTax: Type.Number({ description: '`tax` less `refundedTax`' }),
        }),
      ),
    ),
    example: {
      data: [
        {
          ...{ rate: 18, taxable: 5000, tax: 900, refundedTaxable: 500, refundedTax: 90 },
          ...{ netTaxable: 4500, netTax: 810 },
        },
      ],
      currency: 'INR',
    },
  }),
  adminReportCarts: adminEndpoint({
    ...base,
    path: '/admin/v1/stores/{storeId}/reports/carts',
    summary: 'Carts and how many of them became orders',
    description:
      'A cart that holds items counts at its last change. Carts of guests are deleted thirty days after it, so earlier ' +
      'periods show the orders and few carts.',
    query: Type.Object({ ...periodQuery, by, format: listFormat }),
    ok: Type.Object({
      data: Type.Array(
        named(
          'CartsOfPeriod',
          Type.Object({
            period,
            carts: count,
            orders: count,
            abandoned: Type.Integer({ description: 'Carts that hold items' }),
            conversion: Type.Union([Type.Number(), Type.Null()], { description: 'Orders divided by carts' }),
          }),
        ),
      ),
    }),
    example: { data: [{ period: '2026-11-15', carts: 12, orders: 3, abandoned: 9, conversion: 0.25 }] },
  }),
}
