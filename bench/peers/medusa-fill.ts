import type { PeerProduct } from './catalog.ts'

/** What the journeys need to know of the shop. */
export type MedusaShop = { key: string; regionId: string; shippingOptionId: string; variantIds: string[] }

type Filling = {
  url: string
  staff: { email: string; password: string }
  products: readonly PeerProduct[]
  say(text: string): void
}

const productsAtOnce = 100

/** Sets up a shop by Medusa's API for staff: a region, a place with stock, free shipping, and the catalog in batches. */
export const fillMedusa = async ({ url, staff, products, say }: Filling): Promise<MedusaShop> => {
  const { token } = await send(`${url}/auth/user/emailpass`, {}, staff)
  const headers = { authorization: `Bearer ${token}` }
  const post = (path: string, body?: object) => send(`${url}/admin/${path}`, headers, body)
  const get = (path: string) => send(`${url}/admin/${path}`, headers)

  const channelId = (await get('sales-channels')).sales_channels[0].id
  const keys = (await get('api-keys?type=publishable')).api_keys
  const region = { name: 'India', currency_code: 'inr', countries: ['in'], payment_providers: ['pp_system_default'] }
  const { id: storeId } = (await get('stores')).stores[0]
  await post(`stores/${storeId}`, { supported_currencies: [{ currency_code: 'inr', is_default: true }] })
  const regionId = (await post('regions', region)).region.id
  await post('tax-regions', { country_code: 'in', provider_id: 'tp_system' })

  const locationId = (await post('stock-locations', { name: 'Main' })).stock_location.id
  await post(`stock-locations/${locationId}/sales-channels`, { add: [channelId] })
  await post(`stock-locations/${locationId}/fulfillment-providers`, { add: ['manual_manual'] })
  const sets = `stock-locations/${locationId}/fulfillment-sets?fields=*fulfillment_sets`
  const setId = (await post(sets, { name: 'Shipping', type: 'shipping' })).stock_location.fulfillment_sets[0].id
  const zone = { name: 'India', geo_zones: [{ type: 'country', country_code: 'in' }] }
  const zoneId = (await post(`fulfillment-sets/${setId}/service-zones?fields=*service_zones`, zone)).fulfillment_set
    .service_zones[0].id
  const [known] = (await get('shipping-profiles')).shipping_profiles
  const profile = known ?? (await post('shipping-profiles', { name: 'Default', type: 'default' })).shipping_profile
  const option = await post('shipping-options', {
    name: 'Standard',
    service_zone_id: zoneId,
    shipping_profile_id: profile.id,
    provider_id: 'manual_manual',
    price_type: 'flat',
    type: { label: 'Standard', description: 'Standard', code: 'standard' },
    prices: [{ currency_code: 'inr', amount: 0 }],
    rules: [
      { attribute: 'enabled_in_store', value: 'true', operator: 'eq' },
      { attribute: 'is_return', value: 'false', operator: 'eq' },
    ],
  })

  const place = { channelId, locationId, profileId: profile.id }
  const variantIds = await addProducts({ get, post }, place, products, say)
  return {
    key: keys[0].token,
    regionId,
    shippingOptionId: option.shipping_option.id,
    variantIds: variantIds.slice(0, 5000),
  }
}

type Staff = Record<'get' | 'post', (path: string, body?: object) => ReturnType<typeof send>>
type Place = { channelId: string; locationId: string; profileId: string }

/** Returns the variants. */
export const addProducts = async (
  { get, post }: Staff,
  { channelId, locationId, profileId }: Place,
  products: readonly PeerProduct[],
  say: (text: string) => void,
) => {
  const stockOf = new Map(products.map(({ sku, stock }) => [sku, stock]))
  const variantIds: string[] = []
  for (let from = 0; from < products.length; from += productsAtOnce) {
    const create = products
      .slice(from, from + productsAtOnce)
      .map((product) => productOf(product, channelId, profileId))
    const made = (await post('products/batch', { create })).created
    for (const { variants } of made) variantIds.push(...variants.map(({ id }: { id: string }) => id))
    // Each variant has an item of the stock, which is at no place yet.
    const skus = create.map(({ variants }) => `sku[]=${variants[0]?.sku}`).join('&')
    const items = (await get(`inventory-items?limit=${productsAtOnce}&${skus}`)).inventory_items
    await post('inventory-items/location-levels/batch', {
      create: items.map(({ id, sku }: { id: string; sku: string }) => ({
        inventory_item_id: id,
        location_id: locationId,
        stocked_quantity: stockOf.get(sku),
      })),
    })
    say(`Medusa: ${from + create.length} products`)
  }
  return variantIds
}

/** Amounts are in the main unit of the currency. Every product needs an option. */
const productOf = (product: PeerProduct, channelId: string, profileId: string) => ({
  title: product.name,
  handle: product.slug,
  description: product.description,
  status: 'published',
  shipping_profile_id: profileId,
  sales_channels: [{ id: channelId }],
  options: [{ title: 'Default', values: ['Default'] }],
  variants: [
    {
      title: 'Default',
      sku: product.sku,
      manage_inventory: true,
      options: { Default: 'Default' },
      prices: [{ currency_code: 'inr', amount: product.priceMinor / 100 }],
    },
  ],
})

const send = async (url: string, headers: Record<string, string>, body?: object) => {
  const answer = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${text.slice(0, 500)}`)
  return JSON.parse(text)
}
