/** Why a data folder cannot be used, in one line that says what to do. */
export class FolderError extends Error {
  override readonly name = 'FolderError';
}
