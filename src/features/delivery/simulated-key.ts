import type { Signer } from '../../core/secrets.ts'

/**
 * Logistics keys are stored as hashes, so `vitrine simulate` could not send one. It signs a key of its own with the
 * service's secret; a service in production knows no such keys.
 */
export const makeSimulatedKey = (signer: Signer, storeId: string) => `vlk_${storeId}.${signer.sign(saidOf(storeId))}`

/** The public id of the store, or undefined when the key is none of these. */
export const readSimulatedKey = (signer: Signer, key: string): string | undefined => {
  const [, storeId, signature] = /^vlk_(store_\w+)\.([\w-]+)$/.exec(key) ?? []
  if (storeId === undefined || signature === undefined) return undefined
  return signer.verify(saidOf(storeId), signature) ? storeId : undefined
}

const saidOf = (storeId: string) => `logistics ${storeId}`
