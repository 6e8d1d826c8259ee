import { OperatorError } from '../../core/operator-error.ts'
import { errorCode, errorMessage } from '../../core/thrown.ts'

/** Words file system errors for the operator. An error that they cannot fix passes through unchanged. */
export const explainFileError = (error: unknown, path: string): unknown => {
  if (error instanceof OperatorError) return error
  const code = errorCode(error)
  const because = { cause: error }
  if (code === 'ENOSPC' || code === 'EDQUOT') return explainFullDisk(path, error)
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new OperatorError(
      `Vitrine may not write to ${path} (${code}): give the folder to the user that runs Vitrine, or name ` +
        'another one with VITRINE_DATA_DIR.',
      because,
    )
  if (code === 'ENOTDIR' || code === 'EEXIST')
    return new OperatorError(`${path} is not a folder: name one with VITRINE_DATA_DIR.`, because)
  if (code === 'EIO' || code === 'EUCLEAN' || code === 'ESTALE' || code === 'EBUSY')
    return new OperatorError(`The file system cannot serve ${path}: ${errorMessage(error)}.`, because)
  return error
}

export const explainFullDisk = (path: string, cause: unknown): OperatorError =>
  new OperatorError(`The disk that holds ${path} is full: free some space and start Vitrine again.`, { cause })
