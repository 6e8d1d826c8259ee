import { randomBytes } from 'node:crypto'

const processTag = randomBytes(6).toString('base64url')
let requests = 0

/** The id sent by the caller, if valid, so that a request can be traced across services. Otherwise a new one. */
export const requestId = (given: string | string[] | undefined) =>
  typeof given === 'string' && /^[\w.:-]{1,64}$/.test(given) ? given : `${processTag}-${(requests++).toString(36)}`
