import {
  type ExtractionAnswer,
  type ExtractorStart,
  ServeExtractorRequest,
  ServeExtractorResponse,
  ConversationServiceService as Service,
} from '../../../../gen/ts/mneme/v1/conversation_service.ts';
import type { Call } from '../../../memory/call.ts';
import { invalidFields, isNamespaceMissing, MnemeError } from '../../../memory/errors.ts';
import { extractionPolicyOf } from '../../../memory/extraction-settings.ts';
import type { Records } from '../../../storage/records.ts';
import type { ClientExtractor, ServingClient } from '../../operations/extraction/client-extractor.ts';
import { draining } from '../../operations/streams/open-streams.ts';
import { bidi, type Route } from '../edge/handler.ts';
import { heartbeatOf, RequestChecks } from '../edge/request-checks.ts';
import { type FirstMessageTerms, firstMessage, Outbox } from '../edge/stream-messages.ts';
import { extractedOf, jobMessage } from './extraction-answers.ts';

export interface ExtractorMethodDeps extends FirstMessageTerms {
  readonly client: ClientExtractor;
  readonly store: Pick<Records, 'tierSettings'>;
  /** Extractor of namespaces without one of their own. */
  readonly extractor: string;
  readonly heartbeatMs: number;
}

export function extractorMethods(deps: ExtractorMethodDeps): Route[] {
  return [
    bidi(Service.serveExtractor, ServeExtractorRequest, ServeExtractorResponse, (messages, call) =>
      served(deps, messages, call),
    ),
  ];
}

type Outgoing = NonNullable<ServeExtractorResponse['message']>;

const JOBS = { fallback: 4, max: 64 };
const NAME = /^[A-Za-z0-9._~:-]{1,64}$/;
const REASON_BYTES = 1024;

async function* served(
  deps: ExtractorMethodDeps,
  messages: AsyncIterable<ServeExtractorRequest>,
  call: Call,
): AsyncGenerator<ServeExtractorResponse> {
  const incoming = messages[Symbol.asyncIterator]();
  const first = await firstMessage(incoming, 'extractor', deps, call);
  // A stream without messages serves nothing.
  if (!first) return;
  if (first.message?.$case !== 'start') {
    throw invalidFields([{ field: 'start', description: 'must be the first message' }]);
  }
  const start = startOf(first.message.value, deps.heartbeatMs);
  const leave = deps.streams.enter(call.caller, 'extractor');
  try {
    const run = new ExtractorRun(deps, start, call);
    run.send({ $case: 'started', value: { extractor: await extractorOf(deps, start.namespace) } });
    yield* run.serve({ [Symbol.asyncIterator]: () => incoming });
  } finally {
    leave();
  }
}

interface Start {
  readonly namespace: string;
  readonly name: string;
  readonly jobsMax: number;
  readonly heartbeatMs: number;
}

function startOf({ parent, name, maxJobs, heartbeatInterval }: ExtractorStart, heartbeatMs: number): Start {
  const checks = new RequestChecks();
  const start = {
    namespace: checks.namespace('start.parent', parent),
    name: name === '' ? '' : checks.matching('start.name', name, NAME, '1 to 64 of [A-Za-z0-9._~:-]'),
    jobsMax: maxJobs === 0 ? JOBS.fallback : checks.within('start.max_jobs', maxJobs, 1, JOBS.max),
    heartbeatMs: heartbeatOf(checks, heartbeatInterval, heartbeatMs),
  };
  checks.finish();
  return start;
}

async function extractorOf({ store, extractor }: ExtractorMethodDeps, namespace: string): Promise<string> {
  const own = store.tierSettings(namespace).catch((error: unknown) => {
    if (isNamespaceMissing(error)) return new Map<string, string>();
    throw error;
  });
  return extractionPolicyOf(await store.tierSettings(''), await own).extractor || extractor;
}

/** One stream: jobs go out while the client has room for them, and its answers settle them. */
class ExtractorRun {
  private readonly deps: ExtractorMethodDeps;
  private readonly start: Start;
  private readonly call: Call;
  private readonly outbox: Outbox<Outgoing>;

  constructor(deps: ExtractorMethodDeps, start: Start, call: Call) {
    this.deps = deps;
    this.start = start;
    this.call = call;
    this.outbox = new Outbox(start.heartbeatMs);
  }

  send(message: Outgoing): void {
    this.outbox.push(message);
  }

  async *serve(messages: AsyncIterable<ServeExtractorRequest>): AsyncGenerator<ServeExtractorResponse> {
    const { deps, start, outbox, call } = this;
    const { streams, client } = deps;
    const serving = client.join({
      ...start,
      give: (job) => this.send({ $case: 'job', value: jobMessage(job) }),
      withdraw: (jobId, why) => this.close(jobId, { $case: 'withdrawn', value: why }),
    });
    const finish = () => outbox.finish();
    const drain = () => this.drain();
    streams.onDrain(drain);
    call.signal.addEventListener('abort', finish);
    this.readAll(messages, serving).then(finish, (error: unknown) => outbox.fail(error));
    if (streams.isDraining) drain();
    try {
      for await (const batch of outbox.batches()) {
        if (batch.length === 0) yield { message: { $case: 'heartbeat', value: {} } };
        for (const message of batch) yield { message };
      }
    } finally {
      client.leave(serving);
      streams.offDrain(drain);
      call.signal.removeEventListener('abort', finish);
    }
  }

  /** Ends when the caller ends its side: it can answer no more. */
  private async readAll(messages: AsyncIterable<ServeExtractorRequest>, serving: ServingClient): Promise<void> {
    try {
      for await (const { message } of messages) {
        if (message?.$case === 'start') {
          throw invalidFields([{ field: 'start', description: 'must be sent once, in the first message' }]);
        }
        if (message) this.settle(message.value, serving);
      }
    } finally {
      this.deps.client.leave(serving);
    }
  }

  private settle({ jobId, result }: ExtractionAnswer, serving: ServingClient): void {
    const job = serving.jobs.get(jobId);
    // It was withdrawn while the client answered.
    if (!job) return;
    if (result?.$case === 'failure') {
      const { message, retryable } = result.value;
      const why = Buffer.from(message.slice(0, REASON_BYTES)).toString('utf8', 0, REASON_BYTES).toWellFormed();
      serving.refuse(job, retryable ? 'EXTRACTOR_UNAVAILABLE' : 'EXTRACTION_INVALID', why || 'gave no reason');
      serving.take(jobId);
      return;
    }
    try {
      const checks = new RequestChecks();
      if (!result) checks.add('answer.result', 'must be extracted or failure');
      const memories = result?.value ?? { claims: [], notes: [] };
      const extracted = extractedOf(checks, 'answer.extracted', memories, job);
      checks.finish();
      const counts = { claimCount: extracted.claims.length, noteCount: extracted.notes.length };
      this.close(jobId, { $case: 'accepted', value: counts });
      job.resolve({ ...extracted, origin: serving.origin });
    } catch (error) {
      if (!(error instanceof MnemeError)) throw error;
      this.close(jobId, { $case: 'rejected', value: error.message });
      serving.refuse(job, 'EXTRACTION_INVALID', error.message);
    }
    serving.take(jobId);
  }

  private close(jobId: string, outcome: Extract<Outgoing, { readonly $case: 'closed' }>['value']['outcome']): void {
    this.send({ $case: 'closed', value: { jobId, outcome } });
  }

  private drain(): void {
    this.send({ $case: 'draining', value: {} });
    // In a separate turn: a status directly after a message is lost when the connection closes at the same time.
    setImmediate(() => this.outbox.fail(draining()));
  }
}
