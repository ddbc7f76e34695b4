import {
  type ExtractionAnswer as AnswerMessage,
  type ExtractedClaim as ClaimMessage,
  type ExtractionJob as JobDescription,
  type ConversationMessage as MessageMessage,
  ConversationServiceService as methods,
  type ExtractedNote as NoteMessage,
  type ServeExtractorRequest,
  type ServeExtractorResponse,
} from '../../../gen/ts/mneme/v1/conversation_service.ts';
import { integerOf } from './bad-input.ts';
import { refuseBrokenTexts } from './broken-texts.ts';
import { ClosedError } from './call-error.ts';
import type { Connection } from './connection.ts';
import { conversationIdOf, messageOf } from './conversation-messages.ts';
import type {
  ExtractedClaim,
  ExtractedNote,
  ExtractionAnswer,
  ExtractionHandler,
  ExtractionJob,
  JobMessage,
  ServedExtractor,
  ServeExtractorQuery,
} from './extractor-types.ts';
import { scopeOfMessage } from './message-to-memory.ts';
import { namespaceName } from './names.ts';
import { dateOf, durationOfMs, PreciseDate, timestampOf } from './precise-date.ts';
import type { Attempt } from './streams/attempt.ts';
import { HEARTBEAT_MS } from './streams/heartbeat.ts';
import { type Runs, resuming, type StreamOptions } from './streams/resuming.ts';

/** Serves the extractor `client` of a namespace. */
export interface ExtractorCalls {
  /**
   * Extracts for the server: the handler gets messages as jobs, and what it returns is stored. Resolves when the server
   * gives jobs; a stream that breaks is opened again. Several clients of a namespace share its jobs.
   *
   * ```ts
   * const served = await mneme.conversations.serveExtractor(async ({ messages }) => {
   *   return { claims: await myModel(messages) };
   * });
   * ```
   */
  serveExtractor(
    handler: ExtractionHandler,
    query?: ServeExtractorQuery,
    options?: StreamOptions,
  ): Promise<ServedExtractor>;
}

export function extractorCalls(connection: Connection, namespace: string): ExtractorCalls {
  return {
    async serveExtractor(handler, query = {}, options = {}) {
      const stopping = new AbortController();
      const signal = AbortSignal.any([stopping.signal, ...(options.signal ? [options.signal] : [])]);
      refuseBrokenTexts({ parent: namespaceName(namespace), name: query.name });
      const runs = new ExtractorRuns(connection, namespaceName(namespace), handler, query);
      const starts = resuming(connection, runs, { ...options, signal });
      const { value: extractor = '' } = await starts.next();
      const closed = allOf(starts).catch((error: unknown) => {
        if (!stopping.signal.aborted && !(error instanceof ClosedError)) throw error;
      });
      return { extractor, stop: () => stopping.abort(), closed };
    },
  };
}

async function allOf(starts: AsyncIterable<string>): Promise<void> {
  for await (const _ of starts);
}

type Send = (message: ServeExtractorRequest['message']) => void;

/** Serves, again after each interruption, and reports the extractor of the namespace at each start. */
class ExtractorRuns implements Runs<string> {
  readonly isEndless = true;
  private readonly connection: Connection;
  private readonly parent: string;
  private readonly handler: ExtractionHandler;
  private readonly query: ServeExtractorQuery;

  constructor(connection: Connection, parent: string, handler: ExtractionHandler, query: ServeExtractorQuery) {
    this.connection = connection;
    this.parent = parent;
    this.handler = handler;
    this.query = query;
  }

  async *open(attempt: Attempt): AsyncGenerator<string> {
    const { connection, parent } = this;
    const { name = '', maxJobs = 0 } = this.query;
    const stream = await connection.duplexStream(methods.serveExtractor, attempt);
    const send: Send = (message) => void stream.write({ message });
    send({ $case: 'start', value: { parent, name, maxJobs, heartbeatInterval: durationOfMs(HEARTBEAT_MS) } });
    const inHand = new Map<string, InHand>();
    try {
      const messages = connection.messagesOf<ServeExtractorResponse>(methods.serveExtractor, stream, attempt.signal);
      for await (const { message } of messages) {
        attempt.heard();
        if (message?.$case === 'started') yield message.value.extractor;
        else if (message?.$case === 'job') this.begin(jobOf(message.value), inHand, send);
        else if (message?.$case === 'closed') this.close(message.value, inHand);
        // A heartbeat is answered by one: proxies see that both sides are there.
        else if (message?.$case === 'heartbeat') send(undefined);
      }
    } finally {
      for (const { abort } of inHand.values()) abort();
    }
  }

  /** Jobs are answered as their answers are there, so a slow one holds up none of the others. */
  private begin(job: ExtractionJob, inHand: Map<string, InHand>, send: Send): void {
    const controller = new AbortController();
    inHand.set(job.id, { job, abort: () => controller.abort() });
    void resultOf(this.handler, job, controller.signal).then((result) => {
      if (controller.signal.aborted) return;
      send({ $case: 'answer', value: { jobId: job.id, result } });
      if (result?.$case === 'failure') inHand.delete(job.id);
    });
  }

  private close(
    { jobId, outcome }: Extract<ServeExtractorResponse['message'], { readonly $case: 'closed' }>['value'],
    inHand: Map<string, InHand>,
  ): void {
    const known = inHand.get(jobId);
    inHand.delete(jobId);
    if (!known) return;
    if (outcome?.$case === 'withdrawn') known.abort();
    if (outcome?.$case === 'rejected') this.query.onRejected?.(known.job, outcome.value);
  }
}

interface InHand {
  readonly job: ExtractionJob;
  abort(): void;
}

async function resultOf(
  handler: ExtractionHandler,
  job: ExtractionJob,
  signal: AbortSignal,
): Promise<AnswerMessage['result']> {
  let answer: ExtractionAnswer;
  try {
    answer = await handler(job, signal);
  } catch (error) {
    return { $case: 'failure', value: { message: textOf(error), retryable: true } };
  }
  try {
    if (answer && 'failure' in answer)
      return { $case: 'failure', value: { message: answer.failure.toWellFormed(), retryable: false } };
    const { claims = [], notes = [] } = answer ?? {};
    const extracted = { claims: claims.map(claimMessage), notes: notes.map(noteMessage) };
    refuseBrokenTexts(extracted);
    return { $case: 'extracted', value: extracted };
  } catch (error) {
    return { $case: 'failure', value: { message: textOf(error), retryable: false } };
  }
}

function textOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).toWellFormed();
}

function claimMessage(claim: ExtractedClaim, at: number): ClaimMessage {
  const { subject, attribute, value = '', text = '', confidence, validFrom, validUntil, retracts = false } = claim;
  return {
    ...{ subject, attribute, value, text, confidence, retracts },
    validFrom: timestampOf(validFrom),
    validUntil: timestampOf(validUntil),
    sources: claim.sources.map((source) => integerOf(source, `claims[${at}].sources`)),
  };
}

function noteMessage({ type = 'fact', text, confidence, tags = [], sources }: ExtractedNote, at: number): NoteMessage {
  return {
    ...{ type, text, confidence },
    tags: [...tags],
    sources: sources.map((source) => integerOf(source, `notes[${at}].sources`)),
  };
}

function jobOf({ id, conversation, scope, messages, earlier, ...rest }: JobDescription): ExtractionJob {
  const { attempt, lastError, deadline, model } = rest;
  return {
    ...{ id, attempt, lastError, model },
    conversation: conversationIdOf(conversation),
    scope: scopeOfMessage(scope),
    messages: messages.map(jobMessageOf),
    earlier: earlier.map(jobMessageOf),
    deadline: deadline ? dateOf(deadline) : new PreciseDate(0),
  };
}

function jobMessageOf(message: MessageMessage): JobMessage {
  const read = messageOf(message);
  const text = read.blocks.flatMap((block) => ('text' in block ? [block.text] : [])).join('\n\n');
  return { ...read, text };
}
