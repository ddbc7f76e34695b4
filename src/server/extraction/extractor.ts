import type { ConversationMessage } from '../../memory/conversation.ts';
import type { MnemeError } from '../../memory/errors.ts';
import type { ExtractedNote, FactClaim } from '../../memory/fact-claim.ts';
import type { Micros, Scope } from '../../memory/memory.ts';
import type { FactOutcome } from '../../memory/meters.ts';

/** Messages of one conversation to read, in order. */
export interface ExtractionBatch {
  readonly namespace: string;
  /** Owner of the messages, without the session. */
  readonly scope: Scope;
  readonly conversation: string;
  /** Messages to extract from, by sequence; at least one. Blocks that the settings filter out are left out. */
  readonly messages: readonly ConversationMessage[];
  /** Messages that precede them, for reference only: nothing is extracted from them. */
  readonly earlier: readonly ConversationMessage[];
  /** Extractor settings of the namespace by dotted key, such as `extraction.model`. */
  readonly settings: ReadonlyMap<string, string>;
  /** Earlier attempts, which have all failed; absent on the first one. */
  readonly failures?: { readonly count: number; readonly lastError: string };
}

export interface Extracted {
  readonly claims: readonly FactClaim[];
  readonly notes: readonly ExtractedNote[];
  /** Stored with the results in place of the extractor's name. */
  readonly origin?: string;
}

/** Extractions that may run at once in a namespace. */
export type Capacity =
  /** As many as the limits of the server allow. */
  | 'server'
  /** Clients run them: the limits of the server do not count. None begins while there is an `outage`. */
  | { readonly jobsMax: number; readonly outage?: MnemeError };

/** An extraction ended without a result, and neither its messages nor the extractor are at fault: it is due again. */
export class ExtractionReturned extends Error {
  override readonly name = 'ExtractionReturned';
}

/**
 * Reads facts out of messages. An extraction may run again over messages that it has read before; equal results of both
 * are stored once. Fails with EXTRACTOR_UNAVAILABLE when a later attempt may succeed, with EXTRACTION_INVALID when the
 * answer is unusable, with ExtractionReturned when it is to be tried again at once, and with the signal's reason when
 * that is aborted.
 */
export interface Extractor {
  /** Name such as `rules`; stored with every result. */
  readonly name: string;
  capacity(namespace: string): Capacity;
  extract(batch: ExtractionBatch, signal: AbortSignal): Promise<Extracted>;
}

/** Claims and notes of one extraction, and where they come from. */
export interface Assertion extends Extracted {
  readonly namespace: string;
  readonly scope: Scope;
  readonly conversation: string;
  /** Name of the extractor. */
  readonly extractor: string;
  /** Times of the messages by sequence: the default of `validFromUs`. */
  readonly eventTimesUs: ReadonlyMap<number, Micros>;
}

export type FactCounts = ReadonlyMap<FactOutcome, number>;

/** Stores extracted facts and notes. Resolves when they are durable; repeating an assertion has no second effect. */
export interface FactSink {
  assertClaims(assertion: Assertion, signal: AbortSignal): Promise<FactCounts>;
  /** Messages, by the ids of their memories, were removed or say something else: what only they said is withdrawn. */
  withdraw(namespace: string, messageIds: readonly string[], signal: AbortSignal): Promise<void>;
}

/** Derives nothing: messages are stored unchanged. */
export const verbatimExtractor: Extractor = {
  name: 'verbatim',
  capacity: () => 'server',
  extract: async () => ({ claims: [], notes: [] }),
};
