import type { LoadClient } from './load/load-client.ts';
import type { Row } from './report/row.ts';

/** What every part of a run is given. */
export interface Bench {
  /** Temporary folder of the run. */
  readonly folder: string;
  readonly client: LoadClient;
  /** True when the part of this name was asked for. */
  wants(part: string): boolean;
  /** Numbers of memories to measure with: those of `--sizes`, otherwise the default of the part. */
  sizes(byDefault: readonly number[]): readonly number[];
  add(row: Row): void;
  /** Tells whoever waits what is going on. */
  say(line: string): void;
}

/** Parts that share what is costly to set up. */
export interface Group {
  readonly parts: readonly string[];
  /** Measured only when a part of it is named: takes longer than all others. */
  readonly isByNameOnly?: boolean;
  run(bench: Bench): Promise<void>;
}
