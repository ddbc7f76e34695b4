import type { Mneme } from '../../../../clients/typescript/src/index.ts';
import type { Conversation } from '../../../../tools/eval/question-set.ts';
import type { Measure } from './measure.ts';

/** A part of `make eval-memory`: the memories, questions and report of each set. */
export interface Evaluation {
  readonly name: string;
  /** One of the gates is in it. */
  readonly hasGate: boolean;
  run(mneme: Mneme, set: EvaluatedSet, options: EvaluationOptions): Promise<Evaluated>;
}

export interface EvaluatedSet {
  readonly name: string;
  readonly conversations: readonly Conversation[];
}

export interface EvaluationOptions {
  readonly isGate: boolean;
  /** Makes the names of namespaces of this run and set. */
  readonly runId: string;
  readonly signal: AbortSignal;
}

export interface Evaluated {
  readonly lines: readonly string[];
  readonly measures: readonly Measure[];
  /** Gates that were missed. */
  readonly failures: readonly string[];
}
