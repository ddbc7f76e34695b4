import type { ConversationMessage } from './conversation-types.ts';
import type { Scope } from './memory.ts';
import type { TimeLike } from './precise-date.ts';

/** A message of a job, with its texts as one. */
export interface JobMessage extends ConversationMessage {
  /** Its texts, joined by an empty line. */
  readonly text: string;
}

/** Messages of one conversation to extract from. */
export interface ExtractionJob {
  readonly id: string;
  /** Id of the conversation. */
  readonly conversation: string;
  /** Owner of the messages. */
  readonly scope: Scope;
  /** Messages to extract from, in order, at least one. */
  readonly messages: readonly JobMessage[];
  /** Up to 10 messages that precede them, cut at 4,096 bytes: for reference only. */
  readonly earlier: readonly JobMessage[];
  /** Number of this attempt, from 1. */
  readonly attempt: number;
  /** Why the attempt before failed; empty on the first one. */
  readonly lastError: string;
  /** Time at which the server takes the job back. */
  readonly deadline: Date;
  /** Setting `extraction.model` of the namespace; empty when there is none. */
  readonly model: string;
}

/** A fact that messages state or retract. */
export interface ExtractedClaim {
  /** What the fact is about, such as `user`, for the user, or a name. */
  readonly subject: string;
  /** What of the subject it states, such as `home_city`. */
  readonly attribute: string;
  /** Its value; may be absent when `retracts` is set: then no value holds. */
  readonly value?: string;
  /** A sentence that states the fact. Default: made of subject, attribute and value. */
  readonly text?: string;
  /** 0 to 1. Default 1. */
  readonly confidence?: number;
  /** Default: the time of the latest source. */
  readonly validFrom?: TimeLike;
  readonly validUntil?: TimeLike;
  /** The messages state that the fact no longer holds. Default false. */
  readonly retracts?: boolean;
  /** Sequence numbers of the messages of the job that state it; at least one. */
  readonly sources: readonly number[];
}

/** Another memory that messages contain: an instruction, a decision, a lesson. */
export interface ExtractedNote {
  /** Default `fact`. */
  readonly type?: 'fact' | 'episode' | 'procedure';
  readonly text: string;
  /** 0 to 1. Default 1. */
  readonly confidence?: number;
  /** At most 16. */
  readonly tags?: readonly string[];
  /** Sequence numbers of the messages of the job that contain it; at least one. */
  readonly sources: readonly number[];
}

/**
 * What the messages state, or `failure`: nothing can be extracted from them, which counts as an attempt. `undefined`
 * states nothing.
 */
export type ExtractionAnswer =
  | { readonly claims?: readonly ExtractedClaim[]; readonly notes?: readonly ExtractedNote[] }
  | { readonly failure: string }
  | undefined;

/**
 * Extracts from a job. An error that it throws is reported, and the job comes again, later after each failure. The
 * signal is aborted when the server takes the job back.
 */
export type ExtractionHandler = (
  job: ExtractionJob,
  signal: AbortSignal,
) => ExtractionAnswer | Promise<ExtractionAnswer>;

export interface ServeExtractorQuery {
  /** Name in errors and in the origin of notes, such as that of the model. Default: none. */
  readonly name?: string;
  /** Jobs at once, 1 to 64. Default 4. */
  readonly maxJobs?: number;
  /** Receives the reason why the server refused an answer. The job comes again. */
  readonly onRejected?: (job: ExtractionJob, reason: string) => void;
}

/** A client that serves the extractor of a namespace. */
export interface ServedExtractor {
  /** Extractor in use by the namespace: jobs come only while it is `client`. */
  readonly extractor: string;
  /** Ends serving; the server gives jobs in hand to other clients. */
  stop(): void;
  /** Settles when it is stopped or the client is closed; rejects with any other error that ends it. */
  readonly closed: Promise<void>;
}
