import Type from 'typebox'
import { endpoint } from '../access/storefront.contract.ts'
import { orderId } from '../orders/orders.contract.ts'
import { exampleReturn, Return, ReturnItems, reasonText } from './return.contract.ts'

const path = '/v1/customer/orders/{id}/returns'
const params = Type.Object({ id: orderId })

export const returnsContract = {
  requestReturn: endpoint({
    ...{ method: 'POST', path, tag: 'Orders', access: 'customer', scope: 'customer:write', params },
    summary: 'Ask to return items of a delivered order',
    description:
      'The store decides, and refunds the items once they have arrived. 409 if the order is not delivered, if it was delivered too long ago, or if an item is being returned or was refunded already. Files cannot be returned.',
    once: true,
    body: Type.Object({ items: ReturnItems, reason: reasonText }),
    ok: Return,
    okStatus: 201,
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: exampleReturn,
  }),
  listReturns: endpoint({
    ...{ method: 'GET', path, tag: 'Orders', access: 'customer', scope: 'customer:read', params },
    summary: 'List the returns of an order',
    description: 'Oldest first.',
    ok: Type.Object({ data: Type.Array(Return) }),
    errors: ['NOT_FOUND'],
    example: { data: [exampleReturn] },
  }),
}
