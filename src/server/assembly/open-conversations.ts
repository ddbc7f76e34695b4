import { setTimeout } from 'node:timers';
import { MnemeError } from '../../memory/errors.ts';
import type { Backlog, ExtractionMeter } from '../../memory/meters.ts';
import { openingTracer } from '../../search/threads/span.ts';
import type { Config } from '../config/config.ts';
import { type Extractor, verbatimExtractor } from '../extraction/extractor.ts';
import { ModelExtractor } from '../extraction/model-extractor.ts';
import { rulesExtractor } from '../extraction/rules/rules-extractor.ts';
import { conversationService } from '../grpc/conversations/conversation-service.ts';
import { extractionMethods } from '../grpc/conversations/extraction-methods.ts';
import { extractorMethods } from '../grpc/conversations/serve-extractor.ts';
import type { Route } from '../grpc/edge/handler.ts';
import { extractionJob } from '../jobs/extraction-job.ts';
import type { Logger } from '../logger.ts';
import { OpenConversations } from '../operations/conversations/conversations.ts';
import { ClientExtractor } from '../operations/extraction/client-extractor.ts';
import type { Timing } from '../operations/extraction/extraction-deps.ts';
import { Extractions } from '../operations/extraction/extractions.ts';
import type { MemoryDeps } from '../operations/memories/operation-deps.ts';
import { OpenSubscriptions } from '../operations/streams/open-subscriptions.ts';
import type { VisibilityRules } from '../operations/visibility/visibility.ts';
import { modelOptions } from './model-options.ts';
import type { Knowledge } from './open-knowledge.ts';
import type { StreamParts } from './stream-parts.ts';

export interface ConversationParts {
  readonly routes: readonly Route[];
  backlog(): Backlog;
  /** Counts from now on what extraction does. */
  measure(by: ExtractionMeter): void;
  /** Ends the extractions under way; their messages are extracted after the next start. */
  stop(): Promise<void>;
}

export interface ConversationInputs {
  /** All memories. */
  readonly memories: MemoryDeps;
  /** Memories as visible to the caller. */
  readonly seen: MemoryDeps;
  readonly visibilityRules: VisibilityRules;
  readonly parts: StreamParts;
  /** Store of the extracted facts. */
  readonly knowledge: Knowledge;
  /** Extractors besides those of the settings, by name. */
  readonly extractors: Readonly<Record<string, Extractor>>;
}

const BATCH = { batchMax: 32, batchTokensMax: 6000, perNamespaceMax: 4, unloadMs: 60_000 };

/** Starts the search for messages that are not extracted. */
export function openConversations(
  config: Config,
  { memories, seen, visibilityRules, parts, knowledge, extractors }: ConversationInputs,
  parentLogger: Logger,
): ConversationParts {
  const logger = parentLogger.child({ part: 'extraction' });
  const client = new ClientExtractor({
    clock: memories.clock,
    newId: memories.newId,
    timeoutMs: config.extractionTimeoutMs,
    clientsMax: config.maxExtractorClients,
  });
  const known: Readonly<Record<string, Extractor>> = {
    verbatim: verbatimExtractor,
    rules: rulesExtractor,
    client,
    ...(config.extractorUrl === ''
      ? {}
      : { model: new ModelExtractor({ ...modelOptions(config), inputTokensMax: config.extractorInputTokens }) }),
    ...extractors,
  };
  let meter: ExtractionMeter | undefined;
  const extractionDeps = {
    store: memories.store,
    view: memories.view,
    clock: memories.clock,
    newId: memories.newId,
    meter: () => meter,
    tracer: openingTracer(),
    feed: parts.feed,
    subscriptionStore: parts.subscriptionStore,
    subscriptions: new OpenSubscriptions(parts.subscriptionStore, memories.clock, { isClaimed: false }),
    sink: knowledge.sink,
    timing,
    limits: { ...BATCH, timeoutMs: config.extractionTimeoutMs, attemptsMax: config.extractionAttempts },
    extractorOf: (name: string) => known[name || config.extractor] ?? missingExtractor(name || config.extractor),
    onFault: (err: unknown, namespace: string) => logger.warn({ err, namespace }, 'an extraction is tried again'),
  };
  const extractions = new Extractions(extractionDeps, config.extractionConcurrency);
  client.onServed(extractions.resume.bind(extractions));
  const conversations = {
    ...seen,
    visibilityRules,
    conversations: new OpenConversations(),
    onAppended: extractions.appended.bind(extractions),
  };
  const job = extractionJob(extractions, config.extractionSweepIntervalMs, logger);
  job.start(0);
  return {
    routes: [
      ...conversationService(conversations, config),
      ...extractionMethods({ extractions, streams: parts.streams, awaited: parts.awaited }),
      ...extractorMethods({
        client,
        store: memories.store,
        extractor: config.extractor,
        streams: parts.streams,
        heartbeatMs: parts.heartbeatMs,
        maxStreamStallMs: config.maxStreamStallMs,
      }),
      ...knowledge.routes,
    ],
    backlog: () => extractions.backlog,
    measure(by) {
      meter = by;
    },
    async stop() {
      await Promise.all([job.stop(), extractions.stop()]);
    },
  };
}

/** Placeholder for an extractor that a namespace requests and this server lacks: messages wait for it. */
function missingExtractor(name: string): Extractor {
  return {
    name,
    capacity: () => 'server',
    async extract() {
      throw new MnemeError('EXTRACTOR_UNAVAILABLE', `this server has no extractor ${name}`, {
        metadata: { extractor: name },
      });
    },
  };
}

/** Timers that do not keep the process alive. */
const timing: Timing = {
  setTimer(callback, afterMs) {
    const timer = setTimeout(callback, afterMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
  random: Math.random,
};
