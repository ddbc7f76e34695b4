import type { Mneme } from '../../../../clients/typescript/src/index.ts';
import type { Measure } from './measure.ts';

/** Of a set, even items are for development; the others are scored on the finished product. */
export type Half = 'even' | 'odd' | 'all';

/** A set of labelled conversations, read from a clone of its repository. */
export interface Labelled {
  readonly name: string;
  /** Whether the folder is a clone of its repository. */
  isAt(folder: string): boolean;
  measure(folder: string, options: LabelledOptions): Promise<readonly Measure[]>;
}

export interface LabelledOptions {
  readonly half: Half;
  /** Leaves out what takes more than some minutes. */
  readonly isQuick: boolean;
  readonly mneme: Mneme;
  readonly runId: string;
  readonly signal: AbortSignal;
  /** Called with what was missed and what was wrong. */
  readonly onShown: (line: string) => void;
}

export function isInHalf(index: number, half: Half): boolean {
  return half === 'all' || index % 2 === (half === 'even' ? 0 : 1);
}
