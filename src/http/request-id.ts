import { randomBytes } from 'node:crypto'

const processTag = randomBytes(6).toString('base64url')
let requests = 0

/** The caller's own id when it is a reasonable one, so that a request can be followed through several services. */
export const requestId = (given: string | string[] | undefined) =>
  typeof given === 'string' && /^[\w.:-]{1,64}$/.test(given) ? given : `${processTag}-${(requests++).toString(36)}`
