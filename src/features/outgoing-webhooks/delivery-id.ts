/** Made of the ids of event and endpoint, as in the statement that records events. */
export const deliveryIdOf = (eventId: string, endpointId: string) =>
  `dlv_${eventId.slice('evt_'.length)}_${endpointId.slice('whk_'.length)}`

/** Null if the text is not the id of a delivery. */
export const endpointIdIn = (deliveryId: string): string | null => {
  const [prefix, , endpoint, ...rest] = deliveryId.split('_')
  return prefix === 'dlv' && endpoint !== undefined && rest.length === 0 ? `whk_${endpoint}` : null
}
