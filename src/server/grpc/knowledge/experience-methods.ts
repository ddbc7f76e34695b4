import {
  FindProceduresRequest,
  FindProceduresResponse,
  type Procedure as ProcedureMessage,
  RecordEpisodeRequest,
  RecordEpisodeResponse,
  RecordOutcomeRequest,
  RecordOutcomeResponse,
  RecordProcedureRequest,
  RecordProcedureResponse,
  KnowledgeServiceService as Service,
  TaskOutcome as TaskOutcomeNumber,
} from '../../../../gen/ts/mneme/v1/knowledge_service.ts';
import { isBlank } from '../../../memory/derive-text.ts';
import { normalValue } from '../../../memory/facts/fact-key.ts';
import { EXPERIENCE_LIMITS, successRate, type TaskOutcome } from '../../../memory/procedure.ts';
import {
  findProcedures,
  recordOutcome,
  recordProcedure,
  type StoredProcedure,
} from '../../operations/experience/procedures.ts';
import { type EpisodeRequest, recordEpisode } from '../../operations/experience/record-episode.ts';
import type { MemoryDeps } from '../../operations/memories/operation-deps.ts';
import type { AnswerRecallDeps } from '../../operations/recall/answer-recall.ts';
import { type Route, unary } from '../edge/handler.ts';
import { durationOf, instantOf, memoryName, RequestChecks } from '../edge/request-checks.ts';
import { scopeOf } from '../memories/memory-fields.ts';
import { questionOf } from '../recall/recall-messages.ts';

const OUTCOMES: Readonly<Record<number, TaskOutcome>> = {
  [TaskOutcomeNumber.TASK_OUTCOME_SUCCESS]: 'success',
  [TaskOutcomeNumber.TASK_OUTCOME_FAILURE]: 'failure',
  [TaskOutcomeNumber.TASK_OUTCOME_PARTIAL]: 'partial',
};

const { titleBytes, sentenceBytes, steps: stepsMax, entries: entriesMax } = EXPERIENCE_LIMITS;
const DURATION_DAYS_MAX = 3650;
const FOUND = { fallback: 5, max: 50 };

/** Episodes and procedures of KnowledgeService. `deps` has the store as the caller may see it. */
export function experienceMethods(deps: MemoryDeps & AnswerRecallDeps): Route[] {
  return [
    unary(Service.recordEpisode, RecordEpisodeRequest, RecordEpisodeResponse, async (message, call) => {
      const request = episodeRequestOf(message);
      const { id, importance, revision } = await recordEpisode(deps, request, call);
      return { name: memoryName(request.namespace, id), importance, revision: BigInt(revision) };
    }),
    unary(Service.recordProcedure, RecordProcedureRequest, RecordProcedureResponse, async (message, call) => {
      const checks = new RequestChecks();
      const namespace = checks.namespace('parent', message.parent);
      const procedure = procedureOf(checks, message.procedure);
      checks.finish();
      const { isNew, ...stored } = await recordProcedure(deps, { namespace, ...procedure }, call);
      return { procedure: procedureMessage(stored), created: isNew, revision: BigInt(stored.revision) };
    }),
    unary(
      Service.findProcedures,
      FindProceduresRequest,
      FindProceduresResponse,
      async (message, call) => {
        const checks = new RequestChecks();
        const namespace = checks.namespace('parent', message.parent);
        const scope = message.scope && scopeOf(checks, 'scope', message.scope);
        const situation = questionOf(checks, 'situation', message.situation);
        if (isBlank(situation.text) || situation.text === '') checks.add('situation', 'must have a visible character');
        const limit = checks.pageSize(message.limit, FOUND.fallback, FOUND.max, 'limit');
        checks.finish();
        const asked = { namespace, scope, situation, limit };
        const { found, degraded } = await findProcedures(deps, asked, call);
        return {
          procedures: found.map(({ relevance, score, ...stored }) => ({
            procedure: procedureMessage(stored),
            relevance,
            score,
          })),
          degraded: [...degraded],
        };
      },
      { whenAbsent: () => FindProceduresResponse.fromPartial({}) },
    ),
    unary(Service.recordOutcome, RecordOutcomeRequest, RecordOutcomeResponse, async (message, call) => {
      const checks = new RequestChecks();
      const { namespace, id } = checks.memoryName('name', message.name);
      const outcome = checks.choice('outcome', message.outcome, OUTCOMES);
      const note = checks.text('note', message.note, sentenceBytes).trim();
      checks.finish();
      const stored = await recordOutcome(deps, { namespace, id, outcome, note }, call);
      return { procedure: procedureMessage(stored), revision: BigInt(stored.revision) };
    }),
  ];
}

/** A text with a visible character. */
function filled(checks: RequestChecks, field: string, value: string, bytesMax: number): string {
  if (value.trim() === '') checks.add(field, `must be 1 to ${bytesMax} bytes with a visible character`);
  return checks.text(field, value, bytesMax).trim();
}

function sentences(checks: RequestChecks, field: string, values: readonly string[], max: number): string[] {
  if (values.length > max) checks.add(field, `must be at most ${max}, got ${values.length}`);
  return values.slice(0, max).map((value, at) => filled(checks, `${field}[${at}]`, value, sentenceBytes));
}

function episodeRequestOf(message: RecordEpisodeRequest): EpisodeRequest {
  const checks = new RequestChecks();
  const { duration, tokensUsed, importance, eventTime } = message;
  const request = {
    namespace: checks.namespace('parent', message.parent),
    scope: scopeOf(checks, 'scope', message.scope),
    task: filled(checks, 'task', message.task, sentenceBytes),
    outcome: checks.choice('outcome', message.outcome, OUTCOMES),
    lessons: sentences(checks, 'lessons', message.lessons, entriesMax),
    actions: sentences(checks, 'actions', message.actions, entriesMax),
    durationUs: duration && durationOf(checks, 'duration', duration, DURATION_DAYS_MAX),
    tokensUsed: tokensUsed === undefined ? undefined : checks.wholeWithin('tokens_used', tokensUsed),
    importance: importance === undefined ? undefined : checks.within('importance', importance, 0, 1),
    eventAtUs: eventTime && instantOf(checks, 'event_time', eventTime),
  };
  checks.finish();
  return request;
}

function procedureOf(checks: RequestChecks, message: ProcedureMessage | undefined) {
  if (!message) checks.add('procedure', 'is required');
  const title = filled(checks, 'procedure.title', message?.title ?? '', titleBytes);
  if (title !== '' && normalValue(title) === '') checks.add('procedure.title', 'must contain a letter or a digit');
  const steps = message?.steps ?? [];
  if (steps.length === 0) checks.add('procedure.steps', `must be 1 to ${stepsMax}, got none`);
  return {
    scope: scopeOf(checks, 'procedure.scope', message?.scope),
    title,
    situation: checks.text('procedure.situation', message?.situation ?? '', sentenceBytes).trim(),
    steps: sentences(checks, 'procedure.steps', steps, stepsMax),
  };
}

function procedureMessage({ procedure, memory }: StoredProcedure): ProcedureMessage {
  const { id, scope, title, situation, steps, counts, notes } = procedure;
  const { namespace, revision } = memory;
  return {
    name: memoryName(namespace, id),
    scope: { namespace, ...scope },
    title,
    situation,
    steps: [...steps],
    successCount: counts.success,
    failureCount: counts.failure,
    partialCount: counts.partial,
    successRate: successRate(counts),
    notes: [...notes],
    version: BigInt(revision),
  };
}
