import type { LoadClient } from './load/load-client.ts';
import type { Row } from './report/row.ts';

/** What every part of a run is given. */
export interface Bench {
  /** Temporary folder of the run. */
  readonly folder: string;
  readonly client: LoadClient;
  /** True when the part of this name was asked for. */
  wants(part: string): boolean;
  add(row: Row): void;
  /** Tells whoever waits what is going on. */
  say(line: string): void;
}

/** Parts that share what is costly to set up. */
export interface Group {
  readonly parts: readonly string[];
  run(bench: Bench): Promise<void>;
}
