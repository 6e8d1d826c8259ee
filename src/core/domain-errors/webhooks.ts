import { type NoData, refusals } from './define.ts'

const { conflict, invalid, notFound } = refusals

export const webhookErrors = {
  WEBHOOK_URL_REFUSED: invalid(
    ({ url, reason }: { url: string; reason: string }) => `${url} cannot be used. ${reason}`,
  ),
  WEBHOOK_TYPE_UNKNOWN: invalid(
    ({ type, types }: { type: string; types: readonly string[] }) =>
      `There is no event type "${type}". Valid types: ${types.join(', ')}.`,
  ),
  WEBHOOK_TYPES_MISSING: invalid((_: NoData) => 'An endpoint needs at least one event type.'),
  WEBHOOK_LIMIT_REACHED: conflict(
    ({ maxEndpoints }: { maxEndpoints: number }) => `A store has at most ${maxEndpoints} webhook endpoints.`,
  ),
  WEBHOOK_NOT_FOUND: notFound(
    ({ endpointId }: { endpointId: string }) => `There is no webhook endpoint ${endpointId}.`,
  ),
  WEBHOOK_ROTATED: conflict(
    ({ endpointId, until }: { endpointId: string; until: Date }) =>
      `The secret of ${endpointId} was rotated, and the one before signs until ${until.toISOString()}. Another rotation would end it now.`,
  ),
  WEBHOOK_DISABLED: conflict(
    ({ endpointId }: { endpointId: string }) => `The webhook endpoint ${endpointId} is switched off.`,
  ),
  DELIVERY_NOT_FOUND: notFound(({ deliveryId }: { deliveryId: string }) => `There is no delivery ${deliveryId}.`),
  DELIVERY_IN_PROGRESS: conflict(
    ({ deliveryId }: { deliveryId: string }) => `The delivery ${deliveryId} is being sent. Try again in a minute.`,
  ),
  DELIVERY_STATE_UNKNOWN: invalid(
    ({ state, states }: { state: string; states: readonly string[] }) =>
      `There is no delivery state "${state}". Valid states: ${states.join(', ')}.`,
  ),
}
