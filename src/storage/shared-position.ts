/** A place in the shared command log. */
export interface SharedPosition {
  /** Name of the log. */
  readonly epoch: string;
  /** Position of the last executed command, from 1; 0 before the first. */
  readonly position: number;
  /** Unique name of that command: another name at the position means another history. */
  readonly stamp: string;
}
