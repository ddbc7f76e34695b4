import type { ServerProcess } from '../servers/child.ts';

/** The server that is measured and the bare one that shows what the machine allows. */
export interface Pair {
  readonly mneme: ServerProcess;
  readonly echo: ServerProcess;
}
