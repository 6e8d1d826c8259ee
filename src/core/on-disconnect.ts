/** Calls `leave` when the caller disconnects, never before this function returns. Returns a function that unregisters it. */
export type OnDisconnect = (leave: () => void) => () => void
