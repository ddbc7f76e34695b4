import {
  type FoundProcedure,
  KnowledgeServiceService as methods,
  TaskOutcome as OutcomeCode,
} from '../../../gen/ts/mneme/v1/knowledge_service.ts';
import { incompleteAnswer } from './bad-input.ts';
import { memoryName, namespaceName, partsOfName } from './names.ts';
import type { CallOptions } from './options.ts';
import { timestampOf } from './precise-date.ts';
import type { TaskOutcome } from './procedure-types.ts';
import { insightKindOf } from './reflect-calls.ts';
import { foundMemories, RELEVANT_MIN, type ToolCalls, type ToolResult, timeOf, unlessMissing } from './tool-answers.ts';

/** Handlers of the tools about procedures and episodes; `agent-tools.ts` has their names. */

const PROCEDURES_DEFAULT = 5;
const INSIGHTS_DEFAULT = 10;
/** Success rate of a procedure without outcomes. */
const UNKNOWN_RATE = 0.5;

interface ProcedureAnswer {
  readonly id: string;
  readonly score: number;
  readonly [key: string]: unknown;
}

/** Recorded procedures weighted with their success, and memories of the type that were only remembered. */
export async function searchProcedures(
  mneme: ToolCalls,
  { situation, limit = PROCEDURES_DEFAULT }: { readonly situation: string; readonly limit?: number },
  options: CallOptions,
): Promise<ToolResult> {
  const request = { parent: namespaceName(mneme.namespace), scope: undefined, situation, limit };
  const query = { text: situation, limit, filter: 'type = "procedure"' };
  const [recorded, remembered] = await Promise.all([
    unlessMissing(() => mneme.raw(methods.findProcedures, request, options)),
    foundMemories(mneme, query, options),
  ]);
  const procedures = (recorded?.procedures ?? [])
    .filter(({ relevance }) => relevance >= RELEVANT_MIN)
    .map(procedureAnswer);
  const known = new Set(procedures.map(({ id }) => id));
  const others = remembered.flatMap(({ id, text, relevance }): ProcedureAnswer[] =>
    known.has(id) ? [] : [{ id, text, relevance, success_rate: UNKNOWN_RATE, score: relevance * UNKNOWN_RATE }],
  );
  return { procedures: [...procedures, ...others].sort((one, other) => other.score - one.score).slice(0, limit) };
}

function procedureAnswer({ procedure, relevance, score }: FoundProcedure): ProcedureAnswer {
  if (!procedure) throw incompleteAnswer('procedure');
  const { name, title, situation, steps, successRate, successCount, failureCount, partialCount, notes } = procedure;
  const lines = [title, ...(situation && [`When: ${situation}`]), ...steps.map((step, at) => `${at + 1}. ${step}`)];
  return {
    id: partsOfName(name).id,
    text: lines.join('\n'),
    relevance,
    score,
    success_rate: successRate,
    success_count: successCount,
    failure_count: failureCount,
    partial_count: partialCount,
    notes,
  };
}

const OUTCOMES: Readonly<Record<TaskOutcome, OutcomeCode>> = {
  success: OutcomeCode.TASK_OUTCOME_SUCCESS,
  failure: OutcomeCode.TASK_OUTCOME_FAILURE,
  partial: OutcomeCode.TASK_OUTCOME_PARTIAL,
};

export async function recordOutcome(
  mneme: ToolCalls,
  { id, outcome, note }: { readonly id: string; readonly outcome: TaskOutcome; readonly note: string },
  options: CallOptions,
): Promise<ToolResult> {
  const request = { name: memoryName(mneme.namespace, id), outcome: OUTCOMES[outcome], note };
  const { procedure } = await mneme.raw(methods.recordOutcome, request, options);
  if (!procedure) throw incompleteAnswer('procedure');
  return {
    id,
    success_rate: procedure.successRate,
    success_count: procedure.successCount,
    failure_count: procedure.failureCount,
    partial_count: procedure.partialCount,
  };
}

interface ReflectArguments {
  readonly task?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit?: number;
}

/** Insights from the recorded episodes. */
export async function reflect(
  mneme: ToolCalls,
  { task = '', since, until, limit = INSIGHTS_DEFAULT }: ReflectArguments,
  options: CallOptions,
): Promise<ToolResult> {
  const request = {
    parent: namespaceName(mneme.namespace),
    ...{ task, limit },
    ...(since !== undefined && { startTime: timestampOf(timeOf('since', since)) }),
    ...(until !== undefined && { endTime: timestampOf(timeOf('until', until)) }),
  };
  const answer = await unlessMissing(() => mneme.raw(methods.reflect, request, options));
  const { episodes = 0, successes = 0, failures = 0, partials = 0 } = answer?.counts ?? {};
  return {
    ...{ episode_count: episodes, success_count: successes, failure_count: failures, partial_count: partials },
    insights: (answer?.insights ?? []).map(({ kind, text, confidence, supportCount, episodes: names }) => ({
      kind: insightKindOf(kind),
      text,
      confidence,
      support_count: supportCount,
      episode_ids: names.map((name) => partsOfName(name).id),
    })),
  };
}
