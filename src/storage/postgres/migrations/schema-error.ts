/** Why a database cannot be used, in one line that says what to do. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}
