import { OperatorError } from '../../core/operator-error.ts'
import { errorCode, errorMessage } from '../../core/thrown.ts'

/** Explains file system errors to the operator. Errors that the operator cannot fix are returned unchanged. */
export const explainFileError = (error: unknown, path: string): unknown => {
  if (error instanceof OperatorError) return error
  const code = errorCode(error)
  const because = { cause: error }
  if (code === 'ENOSPC' || code === 'EDQUOT') return explainFullDisk(path, error)
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new OperatorError(
      `Vitrine may not write to ${path} (${code}): make the user that runs Vitrine the owner of the folder, or ` +
        'choose another one with VITRINE_DATA_DIR.',
      because,
    )
  if (code === 'ENOTDIR' || code === 'EEXIST')
    return new OperatorError(`${path} is not a folder: choose one with VITRINE_DATA_DIR.`, because)
  if (code === 'EIO' || code === 'EUCLEAN' || code === 'ESTALE' || code === 'EBUSY')
    return new OperatorError(`The file system failed at ${path}: ${errorMessage(error)}.`, because)
  return error
}

export const explainFullDisk = (path: string, cause: unknown): OperatorError =>
  new OperatorError(`The disk that holds ${path} is full: free some space and start Vitrine again.`, { cause })
