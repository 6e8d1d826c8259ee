import type { Signer } from '../../core/secrets.ts'

/**
 * Logistics keys are stored as hashes, so `vitrine simulate` cannot send one. It signs a key of its own with the
 * service's secret, which a service in production refuses.
 */
export const makeSimulatedKey = (signer: Signer, storeId: string) => `vlk_${storeId}.${signer.sign(payloadOf(storeId))}`

/** Returns the public id of the store, or undefined if the key was not made by `makeSimulatedKey`. */
export const readSimulatedKey = (signer: Signer, key: string): string | undefined => {
  const [, storeId, signature] = /^vlk_(store_\w+)\.([\w-]+)$/.exec(key) ?? []
  if (storeId === undefined || signature === undefined) return undefined
  return signer.verify(payloadOf(storeId), signature) ? storeId : undefined
}

const payloadOf = (storeId: string) => `logistics ${storeId}`
