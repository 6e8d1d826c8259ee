import Type from 'typebox'
import { endpoint } from '../access/storefront.contract.ts'
import { exampleOrder } from '../orders/example-order.contract.ts'
import { Order } from '../orders/order.contract.ts'
import { orderId } from '../orders/orders.contract.ts'

export const cancelContract = {
  cancelOrder: endpoint({
    method: 'POST',
    path: '/v1/customer/orders/{id}/cancel',
    tag: 'Orders',
    access: 'customer',
    scope: 'customer:write',
    summary: 'Cancel an unpaid order',
    description:
      'Orders with cash on delivery can be cancelled until they are shipped. The payment is closed at the provider first. 409 if the order is paid, is being paid right now, or is shipped. Cancelling a cancelled order changes nothing.',
    params: Type.Object({ id: orderId }),
    ok: Order,
    errors: ['NOT_FOUND', 'CONFLICT', 'BAD_GATEWAY'],
    example: { ...exampleOrder, status: 'cancelled', expiresAt: null },
  }),
}
