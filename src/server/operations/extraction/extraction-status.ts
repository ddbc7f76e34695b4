import type { Micros } from '../../../memory/memory.ts';
import type { SequenceRange } from '../conversations/append-messages.ts';
import type { ConversationQueue, QueueState } from './conversation-queue.ts';

/** How far the extraction of a conversation has come. */
export interface ConversationStatus {
  readonly conversation: string;
  readonly state: QueueState;
  /** Neither extracted nor given up. */
  readonly pendingCount: number;
  readonly lastExtracted?: number;
  readonly attempts: number;
  readonly nextAttemptAtUs?: Micros;
  /** Why the last attempt failed; empty without a failure. */
  readonly error: string;
  readonly failed: readonly SequenceRange[];
}

export interface ExtractionStatus {
  readonly extractor: string;
  readonly pendingCount: number;
  readonly failedCount: number;
  readonly conversations: readonly ConversationStatus[];
  /** Every message up to it is extracted or given up, durably. */
  readonly extractedRevision: number;
  readonly newestRevision: number;
  /** Why the namespace is not read; empty in the normal case. */
  readonly degraded: string;
}

export interface FlushOutcome {
  readonly isComplete: boolean;
  readonly conversations: readonly ConversationStatus[];
  readonly pendingCount: number;
  readonly degraded: string;
}

export function conversationStatus(queue: ConversationQueue): ConversationStatus {
  const { conversation, state, pendingCount, lastExtracted, attempts, nextAttemptAtUs, error, failed } = queue;
  return {
    conversation,
    state,
    pendingCount,
    lastExtracted,
    attempts,
    ...(state === 'retrying' ? { nextAttemptAtUs } : {}),
    error,
    failed: rangesOf([...failed]),
  };
}

function rangesOf(sequences: readonly number[]): SequenceRange[] {
  const ranges: { first: number; last: number }[] = [];
  for (const sequence of [...sequences].sort((one, other) => one - other)) {
    const before = ranges.at(-1);
    if (before && before.last + 1 === sequence) before.last = sequence;
    else ranges.push({ first: sequence, last: sequence });
  }
  return ranges;
}
