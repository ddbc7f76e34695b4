import { randomUUID } from 'node:crypto';
import {
  KnowledgeServiceService as methods,
  TaskOutcome as OutcomeCode,
  type Procedure as ProcedureMessage,
} from '../../../gen/ts/mneme/v1/knowledge_service.ts';
import { badInput, incompleteAnswer, integerOf } from './bad-input.ts';
import type { Connection } from './connection.ts';
import type { Scope } from './memory.ts';
import { scopeMessage } from './memory-to-message.ts';
import { scopeOfMessage } from './message-to-memory.ts';
import { memoryName, namespaceName, partsOfName } from './names.ts';
import type { CallOptions, WriteOptions } from './options.ts';
import { durationOfMs, timestampOf } from './precise-date.ts';
import type {
  FoundProcedure,
  NewEpisode,
  NewProcedure,
  Procedure,
  RecordedEpisode,
  RecordProcedureResult,
  TaskOutcome,
} from './procedure-types.ts';
import { reflectCall } from './reflect-calls.ts';
import type { Reflection, ReflectQuery } from './reflect-types.ts';

const OUTCOME_CODES: Readonly<Record<TaskOutcome, OutcomeCode>> = {
  success: OutcomeCode.TASK_OUTCOME_SUCCESS,
  failure: OutcomeCode.TASK_OUTCOME_FAILURE,
  partial: OutcomeCode.TASK_OUTCOME_PARTIAL,
};

/** Episodes: how tasks went. */
export interface EpisodeCalls {
  /** Stores how a task went, as a memory of type `episode`. */
  record(episode: NewEpisode, options?: WriteOptions): Promise<RecordedEpisode>;
  /** Patterns of the recorded episodes: factors of success, recurring failures, anomalies, trends and insights. */
  reflect(query?: ReflectQuery, options?: CallOptions): Promise<Reflection>;
}

/** Procedures: how something is done. A procedure is named by the id or the resource name of its memory. */
export interface ProcedureCalls {
  /** Stores a procedure; one that has the same title in the same scope is merged with it. */
  record(procedure: NewProcedure, options?: WriteOptions): Promise<RecordProcedureResult>;
  /** Procedures that fit a situation, the best first: relevance times success rate. `limit`: 1 to 50, default 5. */
  find(
    situation: string,
    query?: { readonly scope?: Scope; readonly limit?: number },
    options?: CallOptions,
  ): Promise<FoundProcedure[]>;
  /** Counts how a procedure went, with a note of what is worth knowing about it. */
  recordOutcome(
    id: string,
    outcome: TaskOutcome,
    query?: { readonly note?: string },
    options?: WriteOptions,
  ): Promise<Procedure>;
}

export function episodeCalls(connection: Connection, namespace: string): EpisodeCalls {
  return {
    async record(episode, { requestId = randomUUID(), ...options } = {}) {
      const { scope, lessons = [], actions = [], durationMs, tokensUsed, eventTime } = episode;
      const request = {
        parent: namespaceName(namespace),
        scope: scopeMessage(scope),
        task: episode.task,
        outcome: outcomeCode(episode.outcome),
        lessons: [...lessons],
        actions: [...actions],
        duration: durationMs === undefined ? undefined : durationOfMs(durationMs),
        tokensUsed: integerOf(tokensUsed, 'tokensUsed'),
        importance: episode.importance,
        eventTime: timestampOf(eventTime),
        requestId,
      };
      const { name, importance, revision } = await connection.unary(methods.recordEpisode, request, options);
      return { name, id: partsOfName(name).id, importance, revision: connection.seen(revision) };
    },

    reflect: (query = {}, options = {}) => reflectCall(connection, namespace, query, options),
  };
}

export function procedureCalls(connection: Connection, namespace: string): ProcedureCalls {
  const parent = namespaceName(namespace);
  return {
    async record(procedure, { requestId = randomUUID(), ...options } = {}) {
      const request = { parent, procedure: procedureMessage(procedure), requestId };
      const answer = await connection.unary(methods.recordProcedure, request, options);
      const { created, revision } = answer;
      return { procedure: procedureOf(answer.procedure), created, revision: connection.seen(revision) };
    },

    async find(situation, { scope, limit = 0 } = {}, options = {}) {
      const request = { parent, scope: scopeMessage(scope), situation, limit };
      const { procedures } = await connection.unary(methods.findProcedures, request, options);
      return procedures.map(({ procedure, relevance, score }) => ({
        procedure: procedureOf(procedure),
        relevance,
        score,
      }));
    },

    async recordOutcome(id, outcome, { note = '' } = {}, { requestId = randomUUID(), ...options } = {}) {
      const request = { name: memoryName(namespace, id), outcome: outcomeCode(outcome), note, requestId };
      const { procedure, revision } = await connection.unary(methods.recordOutcome, request, options);
      connection.seen(revision);
      return procedureOf(procedure);
    },
  };
}

function outcomeCode(outcome: TaskOutcome): OutcomeCode {
  if (!Object.hasOwn(OUTCOME_CODES, outcome)) {
    throw badInput(
      'outcome',
      `must be one of ${Object.keys(OUTCOME_CODES).join(', ')}, got ${JSON.stringify(outcome)}`,
    );
  }
  return OUTCOME_CODES[outcome];
}

function procedureMessage({ title, steps, situation = '', scope }: NewProcedure): ProcedureMessage {
  return {
    name: '',
    scope: scopeMessage(scope),
    title,
    situation,
    steps: [...steps],
    successCount: 0,
    failureCount: 0,
    partialCount: 0,
    successRate: 0,
    notes: [],
    version: 0n,
  };
}

function procedureOf(message: ProcedureMessage | undefined): Procedure {
  if (message === undefined) throw incompleteAnswer('procedure');
  const { name, scope, version, ...rest } = message;
  return { name, id: partsOfName(name).id, scope: scopeOfMessage(scope), ...rest, version: Number(version) };
}
