import { AttributeChangeKind, MemoryServiceService as methods } from '../../../gen/ts/mneme/v1/memory_service.ts';
import { integerOf } from './bad-input.ts';
import type { Connection } from './connection.ts';
import type { Json } from './content.ts';
import { viewCode } from './enums.ts';
import { exactJson } from './exact-json.ts';
import { type FilterLike, filterFields } from './filter.ts';
import type { Memory, MemoryView, Scope } from './memory.ts';
import { scopeMessage } from './memory-to-message.ts';
import { memoryOfMessage } from './message-to-memory.ts';
import { memoryName, namespaceName, partsOfName } from './names.ts';
import type { ReadOptions } from './options.ts';
import { dateOf, durationOfMs, PreciseDate } from './precise-date.ts';

export interface StatesQuery {
  /** Scope of the states: parts that are set must be equal. Default: all. */
  readonly scope?: Scope;
  /** Type of the memories that are states. Default `state`. */
  readonly type?: string;
  readonly filter?: FilterLike;
}

export interface AttributeHistoryQuery extends StatesQuery {
  readonly startStep?: number;
  readonly endStep?: number;
  /** Most changes, 1 to 10,000. Default 1,000. */
  readonly limit?: number;
}

/** A change of a value from one state to the next. */
export interface AttributeChange {
  /** Id of the state that has the new value, or has it no longer. */
  readonly id: string;
  readonly step: number;
  readonly eventTime: Date;
  readonly kind: 'appeared' | 'changed' | 'disappeared';
  /** Absent when it appeared. */
  readonly previousValue?: Json;
  /** Absent when it disappeared. */
  readonly newValue?: Json;
}

export interface SequenceQuery {
  /** Most memories before and after it. Default 2 each, and 1,000 each with a window. */
  readonly beforeCount?: number;
  readonly afterCount?: number;
  /** Only events at most this long before or after it. */
  readonly timeWindowMs?: number;
  readonly sameType?: boolean;
  readonly sameScope?: boolean;
  readonly filter?: FilterLike;
  readonly view?: MemoryView;
}

/** The calls of MemoryService that look at states over time. */
export interface HistoryCalls {
  /** When the value at a path of JSON content appeared, changed and disappeared, by step. */
  getAttributeHistory(
    path: string,
    query?: AttributeHistoryQuery,
    options?: ReadOptions,
  ): Promise<{ readonly changes: readonly AttributeChange[]; readonly truncated: boolean; readonly revision: number }>;
  /** The state at each step; with `carryForward` the nearest preceding one for a step without its own. */
  getStatesAtSteps(
    steps: readonly number[],
    query?: StatesQuery & { readonly carryForward?: boolean; readonly view?: MemoryView },
    options?: ReadOptions,
  ): Promise<{ readonly step: number; readonly memory?: Memory }[]>;
  /** The events before and after a memory, both in the order of time. */
  getSequence(
    id: string,
    query?: SequenceQuery,
    options?: ReadOptions,
  ): Promise<{ readonly before: Memory[]; readonly memory: Memory; readonly after: Memory[] }>;
}

export function historyCalls(connection: Connection, namespace: string): HistoryCalls {
  const parent = namespaceName(namespace);
  return {
    async getAttributeHistory(path, { scope, type = '', filter, startStep, endStep, limit = 0 } = {}, options = {}) {
      const request = {
        parent,
        path,
        scope: scopeMessage(scope),
        type,
        startStep: integerOf(startStep, 'startStep'),
        endStep: integerOf(endStep, 'endStep'),
        ...filterFields(filter),
        limit,
        minRevision: connection.minRevision(options),
      };
      const answer = await connection.unary(methods.getAttributeHistory, request, options);
      const changes = answer.changes.map(({ name, step, eventTime, kind, previousJson, newJson }) => ({
        id: partsOfName(name).id,
        step,
        eventTime: eventTime === undefined ? new PreciseDate(0) : dateOf(eventTime),
        kind: kindOf(kind),
        ...(previousJson === undefined ? {} : { previousValue: exactJson(previousJson) as Json }),
        ...(newJson === undefined ? {} : { newValue: exactJson(newJson) as Json }),
      }));
      return { changes, truncated: answer.truncated, revision: connection.seen(answer.revision) };
    },

    async getStatesAtSteps(steps, { scope, type = '', filter, carryForward = false, view } = {}, options = {}) {
      const request = {
        parent,
        steps: steps.map((step, at) => integerOf(step, `steps[${at}]`)),
        carryForward,
        scope: scopeMessage(scope),
        type,
        ...filterFields(filter),
        view: viewCode(view),
        minRevision: connection.minRevision(options),
      };
      const answer = await connection.unary(methods.getStatesAtSteps, request, options);
      connection.seen(answer.revision);
      return answer.states.map(({ step, memory }) => (memory ? { step, memory: memoryOfMessage(memory) } : { step }));
    },

    async getSequence(id, query = {}, options = {}) {
      const { beforeCount, afterCount, timeWindowMs, sameType = false, sameScope = false, filter, view } = query;
      const request = {
        name: memoryName(namespace, id),
        beforeCount,
        afterCount,
        timeWindow: timeWindowMs === undefined ? undefined : durationOfMs(timeWindowMs),
        sameType,
        sameScope,
        ...filterFields(filter),
        view: viewCode(view),
        minRevision: connection.minRevision(options),
      };
      const answer = await connection.unary(methods.getMemorySequence, request, options);
      connection.seen(answer.revision);
      return {
        before: answer.before.map(memoryOfMessage),
        memory: memoryOfMessage(answer.memory),
        after: answer.after.map(memoryOfMessage),
      };
    },
  };
}

function kindOf(kind: AttributeChangeKind): AttributeChange['kind'] {
  if (kind === AttributeChangeKind.ATTRIBUTE_CHANGE_KIND_APPEARED) return 'appeared';
  return kind === AttributeChangeKind.ATTRIBUTE_CHANGE_KIND_DISAPPEARED ? 'disappeared' : 'changed';
}
