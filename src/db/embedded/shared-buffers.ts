import { totalmem } from 'node:os'

const megabyte = 1024 * 1024

/**
 * An eighth of the memory that this process may use, from 128 MB to 1 GB. The server takes a page of it only when it reads
 * one, so a small database takes little. In a store of a million products, a search reads hundreds of pages, and each
 * that is not in these buffers costs about ten times as much.
 */
export const sharedBuffers = (memoryBytes = usableMemoryBytes()) =>
  `${Math.round(Math.min(1024, Math.max(128, memoryBytes / megabyte / 8)))}MB`

/** A container may have less than the machine. */
const usableMemoryBytes = () => {
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}
