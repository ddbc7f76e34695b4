import {
  GetAttributeHistoryRequest,
  GetAttributeHistoryResponse,
  GetMemorySequenceRequest,
  GetMemorySequenceResponse,
  GetStatesAtStepsRequest,
  GetStatesAtStepsResponse,
  AttributeChangeKind as KindNumber,
  MemoryServiceService as Service,
} from '../../../../gen/ts/mneme/v1/memory_service.ts';
import {
  type AttributeChange,
  type ChangeHistory,
  type ChangeHistoryRequest,
  changeHistory,
  type SnapshotsRequest,
  snapshots,
} from '../../operations/memories/change-history.ts';
import { getSequence, type SequenceRequest } from '../../operations/memories/get-sequence.ts';
import type { MemoryDeps } from '../../operations/memories/operation-deps.ts';
import { type Route, unary } from '../edge/handler.ts';
import { durationOf, memoryName, RequestChecks, timestampOf } from '../edge/request-checks.ts';
import { givenFilter, pathOf } from './filter-messages.ts';
import { scopeOf } from './memory-fields.ts';
import { memoryMessage, VIEWS } from './memory-messages.ts';
import { missingMemory } from './memory-requests.ts';

/** The methods of MemoryService that look at states over time. */
export function historyMethods(deps: MemoryDeps): Route[] {
  return [
    unary(
      Service.getAttributeHistory,
      GetAttributeHistoryRequest,
      GetAttributeHistoryResponse,
      async (message, call) => changeHistoryResponse(await changeHistory(deps, changeHistoryRequestOf(message), call)),
      { whenAbsent: () => GetAttributeHistoryResponse.fromPartial({ revision: BigInt(deps.store.revision) }) },
    ),
    unary(
      Service.getStatesAtSteps,
      GetStatesAtStepsRequest,
      GetStatesAtStepsResponse,
      async (message, call) => {
        const answer = await snapshots(deps, snapshotsRequestOf(message), call);
        return {
          states: answer.snapshots.map(({ step, memory }) => ({ step, memory: memory && memoryMessage(memory) })),
          revision: BigInt(answer.revision),
        };
      },
      {
        whenAbsent: ({ steps }) =>
          GetStatesAtStepsResponse.fromPartial({
            states: steps.map((step) => ({ step: Number(step) })),
            revision: BigInt(deps.store.revision),
          }),
      },
    ),
    unary(
      Service.getMemorySequence,
      GetMemorySequenceRequest,
      GetMemorySequenceResponse,
      async (message, call) => {
        const { before, memory, after, revision } = await getSequence(deps, sequenceRequestOf(message), call);
        return {
          before: before.map(memoryMessage),
          memory: memoryMessage(memory),
          after: after.map(memoryMessage),
          revision: BigInt(revision),
        };
      },
      { whenAbsent: missingMemory },
    ),
  ];
}

const TYPE_DEFAULT = 'state';
const TYPE = /^[A-Za-z0-9_]{1,64}$/;
const CHANGES_DEFAULT = 1000;
const CHANGES_MAX = 10_000;
const STEPS_MAX = 1000;
const AROUND_DEFAULT = 2;
const AROUND_MAX = 1000;
const WINDOW_DAYS_MAX = 36_500;

function changeHistoryRequestOf(message: GetAttributeHistoryRequest): ChangeHistoryRequest {
  const checks = new RequestChecks();
  const { scope, startStep, endStep, limit } = message;
  if (startStep !== undefined && endStep !== undefined && startStep > endStep) {
    checks.add('end_step', `must not be less than start_step, got ${startStep} and ${endStep}`);
  }
  const request = {
    namespace: checks.namespace('parent', message.parent),
    path: pathOf(checks, 'path', message.path),
    scope: scope && scopeOf(checks, 'scope', scope),
    type: typeOf(checks, message.type),
    startStep: startStep === undefined ? undefined : checks.wholeWithin('start_step', startStep),
    endStep: endStep === undefined ? undefined : checks.wholeWithin('end_step', endStep),
    limit: limit === 0 ? CHANGES_DEFAULT : checks.within('limit', limit, 1, CHANGES_MAX),
    minRevision: checks.wholeWithin('min_revision', message.minRevision),
  };
  checks.finish();
  const filter = givenFilter(message);
  return filter ? { ...request, filter } : request;
}

function changeHistoryResponse({ changes, truncated, revision }: ChangeHistory): GetAttributeHistoryResponse {
  return {
    changes: changes.map(({ memory, kind, previous, next }) => ({
      name: memoryName(memory.namespace, memory.id),
      step: memory.step ?? 0,
      eventTime: timestampOf(memory.eventAtUs),
      kind: KINDS[kind],
      previousJson: previous,
      newJson: next,
    })),
    truncated,
    revision: BigInt(revision),
  };
}

function snapshotsRequestOf(message: GetStatesAtStepsRequest): SnapshotsRequest {
  const checks = new RequestChecks();
  const { scope, steps } = message;
  if (steps.length < 1 || steps.length > STEPS_MAX) {
    checks.add('steps', `must be 1 to ${STEPS_MAX}, got ${steps.length}`);
  }
  const request = {
    namespace: checks.namespace('parent', message.parent),
    steps: [...new Set(steps.slice(0, STEPS_MAX).map((step, at) => checks.wholeWithin(`steps[${at}]`, step)))],
    carryForward: message.carryForward,
    scope: scope && scopeOf(checks, 'scope', scope),
    type: typeOf(checks, message.type),
    view: checks.choice('view', message.view, VIEWS),
    minRevision: checks.wholeWithin('min_revision', message.minRevision),
  };
  checks.finish();
  const filter = givenFilter(message);
  return filter ? { ...request, filter } : request;
}

function sequenceRequestOf(message: GetMemorySequenceRequest): SequenceRequest {
  const checks = new RequestChecks();
  const { timeWindow } = message;
  const fallback = timeWindow ? AROUND_MAX : AROUND_DEFAULT;
  const request = {
    ...checks.memoryName('name', message.name),
    beforeCount: checks.within('before_count', message.beforeCount ?? fallback, 0, AROUND_MAX),
    afterCount: checks.within('after_count', message.afterCount ?? fallback, 0, AROUND_MAX),
    windowUs: timeWindow && durationOf(checks, 'time_window', timeWindow, WINDOW_DAYS_MAX),
    sameType: message.sameType,
    sameScope: message.sameScope,
    view: checks.choice('view', message.view, VIEWS),
    minRevision: checks.wholeWithin('min_revision', message.minRevision),
  };
  checks.finish();
  const filter = givenFilter(message);
  return filter ? { ...request, filter } : request;
}

const KINDS: Readonly<Record<AttributeChange['kind'], KindNumber>> = {
  appeared: KindNumber.ATTRIBUTE_CHANGE_KIND_APPEARED,
  changed: KindNumber.ATTRIBUTE_CHANGE_KIND_CHANGED,
  disappeared: KindNumber.ATTRIBUTE_CHANGE_KIND_DISAPPEARED,
};

function typeOf(checks: RequestChecks, type: string): string {
  return type === '' ? TYPE_DEFAULT : checks.matching('type', type, TYPE, '1 to 64 of [A-Za-z0-9_]');
}
