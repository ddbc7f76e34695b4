/** Package or model are not there, or cannot be used; the message is one line that says what to do. */
export class ModelNotLoaded extends Error {
  override readonly name = 'ModelNotLoaded';
}
