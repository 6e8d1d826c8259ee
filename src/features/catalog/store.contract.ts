import Type, { type Static } from 'typebox'
import { named, nullable, oneOf } from '../../http/schema.ts'
import { endpoint } from '../access/storefront.contract.ts'

export const StoreInfo = named(
  'Store',
  Type.Object({
    id: Type.String(),
    name: Type.String(),
    domain: Type.String({ description: 'Origin of the registered storefront' }),
    currency: Type.String({ description: 'ISO 4217' }),
    locale: Type.String(),
    timezone: Type.String(),
    logo: Type.String(),
    contact: Type.Object({ email: Type.String(), phone: Type.String() }),
    address: Type.Unsafe<{ line1: string; city: string; state: string; postalCode: string; country: string } | null>({
      type: ['object', 'null'],
      properties: {
        line1: Type.String(),
        city: Type.String(),
        state: Type.String(),
        postalCode: Type.String(),
        country: Type.String(),
      },
    }),
    outlets: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
    defaultOutletId: Type.String(),
    paymentMethods: Type.Array(oneOf(['online', 'cod']), {
      description: 'Payment methods of this store. The first is the default at checkout',
    }),
    signIn: Type.Array(oneOf(['phone', 'email', 'password']), {
      description: 'Ways to sign in: a one-time password to a phone or an email address, or a password',
    }),
    shipping: Type.Object({
      flat: Type.Number({ description: 'Shipping fee' }),
      freeAbove: nullable(Type.Number({ description: 'Shipping is free from this subtotal' })),
    }),
    taxIncluded: Type.Boolean({ description: 'Whether prices include tax' }),
  }),
)
export type StoreInfo = Static<typeof StoreInfo>

type MenuItem = { id: string; label: string; type: string; target: string; children: MenuItem[] }

/** Three explicit levels, because not all serialisers and generators support recursive schemas. */
const menuItem = (children: object) =>
  Type.Unsafe<MenuItem>({
    type: 'object',
    required: ['id', 'label', 'type', 'target', 'children'],
    properties: {
      id: { type: 'string' },
      label: { type: 'string' },
      type: { type: 'string', description: '`category`, `product`, `page` or `link`' },
      target: { type: 'string', description: 'A slug, or a URL for `link`' },
      children: { type: 'array', ...children },
    },
  })

const MenuLeaf = named('MenuLeaf', menuItem({ items: {}, maxItems: 0 }))
const MenuBranch = named('MenuBranch', menuItem({ items: MenuLeaf }))
const MenuRoot = named('MenuRoot', menuItem({ items: MenuBranch }))

export const Menu = named('Menu', Type.Object({ items: Type.Array(MenuRoot) }))

const read = { method: 'GET', tag: 'Store', access: 'store', scope: 'store:read', cached: true } as const

export const storeContract = {
  showStore: endpoint({
    ...read,
    path: '/v1/store',
    summary: 'Show the store and its settings',
    ok: StoreInfo,
    example: {
      id: 'store_01k8x0v3m7q2w9c4t6y8ze',
      name: 'Kavya & Co.',
      domain: 'https://kavya.example',
      currency: 'INR',
      locale: 'en-IN',
      timezone: 'Asia/Kolkata',
      logo: 'http://localhost:3000/demo/images/logo.svg',
      contact: { email: 'hello@kavya.example', phone: '+912255501234' },
      address: null,
      outlets: [{ id: 'outlet_01k8x0v3m7q2w9c4t6y8zf', name: 'Mumbai (Fort)' }],
      defaultOutletId: 'outlet_01k8x0v3m7q2w9c4t6y8zf',
      paymentMethods: ['online'],
      signIn: ['phone', 'email', 'password'],
      shipping: { flat: 79, freeAbove: 999 },
      taxIncluded: true,
    },
  }),
  showMenu: endpoint({
    ...read,
    path: '/v1/menu',
    summary: 'Show the navigation menu',
    ok: Menu,
    example: {
      items: [
        { id: 'menu_01k8x0v3m7q2w9c4t6y8zg', label: 'Kitchen', type: 'category', target: 'kitchen', children: [] },
      ],
    },
  }),
}
