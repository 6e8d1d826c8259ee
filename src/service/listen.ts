import type { App } from '../app.ts'
import { OperatorError } from '../core/operator-error.ts'
import { errorCode } from '../core/thrown.ts'

/** Listens, or throws what an operator can do about it. */
export const listenOrExplain = async ({ server }: App, { port, host }: { port: number; host: string }) => {
  try {
    await server.listen({ port, host })
  } catch (error) {
    const code = errorCode(error)
    if (code === 'EADDRINUSE') {
      throw new OperatorError(`Port ${port} is in use by another program. Choose another: PORT=${port + 10} npm start`)
    }
    if (code === 'EACCES') throw new OperatorError(`Only root may use port ${port}. Choose one above 1023.`)
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
      throw new OperatorError(`HOST=${host} is not an address of this machine.`)
    }
    throw error
  }
}
