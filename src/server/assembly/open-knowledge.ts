import { DEFAULT_HALF_LIFE_DAYS } from '../../memory/facts/confidence.ts';
import type { Records } from '../../storage/records.ts';
import type { Config } from '../config/config.ts';
import type { FactSink } from '../extraction/extractor.ts';
import { ModelPhraser } from '../extraction/model-phraser.ts';
import type { Route } from '../grpc/edge/handler.ts';
import { consolidationService } from '../grpc/knowledge/consolidation-service.ts';
import { experienceMethods } from '../grpc/knowledge/experience-methods.ts';
import { knowledgeService } from '../grpc/knowledge/knowledge-service.ts';
import { reflectMethods } from '../grpc/knowledge/reflect-method.ts';
import { type ConsolidationCounts, consolidationJob } from '../jobs/consolidation-job.ts';
import type { RepeatingJob } from '../jobs/repeating-job.ts';
import type { Logger } from '../logger.ts';
import { BackgroundConsolidation } from '../operations/consolidation/background-consolidation.ts';
import type { FactDeps } from '../operations/facts/fact-deps.ts';
import { factSink } from '../operations/facts/fact-sink.ts';
import type { MemoryDeps } from '../operations/memories/operation-deps.ts';
import type { AnswerRecallDeps } from '../operations/recall/answer-recall.ts';
import type { VisibilityRules } from '../operations/visibility/visibility.ts';
import { modelOptions } from './model-options.ts';
import type { LeasedAs } from './shared-jobs.ts';

export interface Knowledge {
  readonly routes: readonly Route[];
  /** Target of the facts that extractors have read. */
  readonly sink: FactSink;
}

export interface KnowledgeInputs {
  /** All memories. */
  readonly memories: MemoryDeps;
  /** All memories, within the limits of callers. */
  readonly limited: Records;
  /** Memories as visible to the caller, within the limits of callers. */
  readonly seen: MemoryDeps;
  readonly recall: AnswerRecallDeps;
  readonly visibilityRules: VisibilityRules;
}

export function openKnowledge(
  config: Config,
  { memories, limited, seen, recall, visibilityRules }: KnowledgeInputs,
  logger: Logger,
): Knowledge {
  const factHalfLifeDays = DEFAULT_HALF_LIFE_DAYS;
  const factDeps: FactDeps = { ...memories, visibilityRules, seen: seen.store, factHalfLifeDays };
  const routes = [
    ...knowledgeService({ ...factDeps, store: limited }),
    ...experienceMethods({ ...recall, ...seen }),
    ...reflectMethods({ ...seen, ...phrasing(config, logger) }),
    ...consolidationService(factDeps, seen),
  ];
  return { routes, sink: factSink(factDeps) };
}

function phrasing(config: Config, parentLogger: Logger) {
  const logger = parentLogger.child({ part: 'reflection' });
  return {
    ...(config.extractorUrl === '' ? {} : { phraser: new ModelPhraser(modelOptions(config)) }),
    onFault: (err: unknown) => logger.warn({ err }, 'insights keep their computed sentences'),
  };
}

/** Time between two looks for namespaces whose consolidation is due. */
const CONSOLIDATION_LOOK_MS = 60_000;

/** Consolidation in the background. `seen` has the store as visible to callers: read-only and private scopes stay as they are. */
export function openConsolidation(
  seen: MemoryDeps,
  logger: Logger,
  leased: LeasedAs,
): { readonly job: RepeatingJob; readonly counts: ConsolidationCounts } {
  const background = new BackgroundConsolidation(seen);
  const counts = { runCount: 0, failureCount: 0, madeCount: 0 };
  const partLogger = logger.child({ part: 'consolidation' });
  const everyMs = CONSOLIDATION_LOOK_MS;
  return { job: consolidationJob(background, everyMs, partLogger, counts, leased('consolidation', everyMs)), counts };
}
