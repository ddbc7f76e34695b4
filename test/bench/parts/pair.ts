import type { ServerProcess } from '../servers/child.ts';

/** The measured server and the plain one that shows the limit of the machine. */
export interface Pair {
  readonly mneme: ServerProcess;
  readonly echo: ServerProcess;
}
