/** Registers what to do when the caller hangs up, never called before it returns; returns how to take that back. */
export type OnGone = (leave: () => void) => () => void
