/** What is wrong with the text of a filter, and where. */
export class FilterTextError extends Error {
  override readonly name = 'FilterTextError';
  /** Of the character at fault, from 1, in Unicode code points. */
  readonly column: number;

  constructor(text: string, at: number, problem: string) {
    const column = [...text.slice(0, at)].length + 1;
    super(`column ${column}: ${problem}`);
    this.column = column;
  }
}
