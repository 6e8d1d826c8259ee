import { type NoData, refusals } from './define.ts'

const { conflict, invalid, notFound } = refusals

export const staffErrors = {
  STAFF_NOT_FOUND: notFound(({ staffId }: { staffId: string }) => `${staffId} does not work for this store.`),
  STAFF_EXISTS: conflict(({ email }: { email: string }) => `${email} works for this store already.`),
  STAFF_ELSEWHERE: conflict(
    ({ email }: { email: string }) =>
      `${email} works for another store. Only the operator of the service can add this person, because it sends no mail.`,
  ),
  STAFF_HAS_PASSWORD: conflict(
    ({ email }: { email: string }) => `${email} has set a password already, and can reset it on the sign-in page.`,
  ),
  LAST_OWNER: conflict((_: NoData) => 'A store needs an owner. Give another staff member the role owner first.'),
  ROLE_UNKNOWN: invalid(
    ({ role, roles }: { role: string; roles: readonly string[] }) =>
      `There is no role "${role}". Valid roles: ${roles.join(', ')}.`,
  ),
  PERMISSION_UNKNOWN: invalid(
    ({ permission, permissions }: { permission: string; permissions: readonly string[] }) =>
      `There is no permission "${permission}". Valid permissions: ${permissions.join(', ')}.`,
  ),
  PERMISSION_NOT_OWN: invalid(
    ({ permission }: { permission: string }) => `You cannot grant ${permission}, because you do not have it yourself.`,
  ),
  TOKEN_RIGHTS_UNCLEAR: invalid((_: NoData) => 'A token has either a role or permissions.'),
  TOKEN_LIMIT_REACHED: conflict(
    ({ maxTokens }: { maxTokens: number }) => `A store has at most ${maxTokens} tokens. Revoke one first.`,
  ),
  TOKEN_NOT_FOUND: notFound(({ tokenId }: { tokenId: string }) => `There is no token ${tokenId}.`),
  EXPIRY_PAST: invalid((_: NoData) => 'The time of expiry must be in the future.'),
}
