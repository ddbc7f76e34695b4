/** A place in the log of commands that several servers carry out. */
export interface SharedPosition {
  /** Names the log. */
  readonly epoch: string;
  /** Of the last command that was carried out, from 1; 0 before the first. */
  readonly position: number;
  /** Names that command, as no other is named: another one at its place is another history. */
  readonly stamp: string;
}
