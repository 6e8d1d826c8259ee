import Type from 'typebox'
import { named, nullable } from '../../http/schema.ts'
import { adminEndpoint, storeParams } from '../access/admin.contract.ts'

const PaymentAccount = named(
  'PaymentAccount',
  Type.Object({
    provider: Type.String(),
    active: Type.Boolean({ description: 'New orders are paid with it' }),
    forTesting: Type.Boolean({ description: 'Takes no real money' }),
    testMode: Type.Boolean({ description: 'The credentials are those of test mode, where no real money moves' }),
    complete: Type.Boolean({ description: 'All needed credentials are there' }),
    checkedAt: nullable(
      Type.String({
        format: 'date-time',
        description: 'When the provider last accepted the credentials. Null: they were saved without a check',
      }),
    ),
    webhook: Type.Union(
      [
        Type.Object({
          url: Type.String(),
          header: nullable(Type.String({ description: 'A header that each request needs' })),
        }),
        Type.Null(),
      ],
      { description: 'What to enter at the provider, so that its events arrive. Null: it sends none' },
    ),
    credentials: Type.Array(
      Type.Object({
        name: Type.String(),
        optional: Type.Boolean(),
        set: Type.Boolean({ description: 'There is a value, which is never shown' }),
      }),
    ),
  }),
)

const exampleAccount = {
  provider: 'razorpay',
  active: true,
  forTesting: false,
  testMode: false,
  complete: true,
  checkedAt: '2026-11-17T09:30:00.000Z',
  webhook: { url: 'https://api.bluedoor.example/webhook/razorpay/store_1m7mj1', header: null },
  credentials: [{ name: 'keyId', optional: false, set: true }],
}

const Checked = Type.Object({
  account: PaymentAccount,
  answer: nullable(Type.String({ description: 'What the provider said to a harmless call. Null: no call was needed' })),
})
const exampleChecked = { account: exampleAccount, answer: 'The credentials are accepted.' }

const path = '/admin/v1/stores/{storeId}'
const providerParams = Type.Object({
  ...storeParams.properties,
  provider: Type.String({ minLength: 1, maxLength: 40 }),
})
const accounts = { tag: 'Payments', access: 'store', permission: 'secrets:write' } as const

export const paymentAccountsContract = {
  adminListPaymentAccounts: adminEndpoint({
    ...{ method: 'GET', path: `${path}/payment-accounts`, params: storeParams },
    ...{ tag: 'Payments', access: 'store', permission: 'settings:read' },
    summary: 'List the payment providers and the accounts of the store',
    ok: Type.Object({ data: Type.Array(PaymentAccount) }),
    example: { data: [exampleAccount] },
  }),
  adminUpdatePaymentAccount: adminEndpoint({
    ...{ ...accounts, method: 'PATCH', path: `${path}/payment-accounts/{provider}`, params: providerParams },
    summary: 'Set credentials of a payment account',
    description:
      'They are tried with a harmless call first, unless `check` is false, and stored encrypted. They are never shown.',
    body: Type.Object({
      credentials: Type.Record(Type.String({ maxLength: 60 }), Type.String({ maxLength: 10_000 })),
      check: Type.Optional(Type.Boolean({ default: true })),
    }),
    ok: Checked,
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: exampleChecked,
  }),
  adminActivatePaymentAccount: adminEndpoint({
    ...{ ...accounts, method: 'POST', path: `${path}/payment-accounts/{provider}/activate`, params: providerParams },
    summary: 'Pay new orders with this account',
    description: 'Only after a harmless call with its credentials has succeeded.',
    ok: Checked,
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: exampleChecked,
  }),
}
