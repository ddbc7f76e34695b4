/** Why a migration cannot go on, in one line that says what to do. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}
