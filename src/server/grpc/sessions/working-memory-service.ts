import {
  AppendScratchpadRequest,
  AppendScratchpadResponse,
  BatchGetValuesRequest as BatchGetRequest,
  BatchGetValuesResponse as BatchGetResponse,
  ClearScratchpadRequest,
  ClearScratchpadResponse,
  ClearWorkingMemoryRequest,
  ClearWorkingMemoryResponse,
  DeleteValueRequest as DeleteRequest,
  DeleteValueResponse as DeleteResponse,
  GetValueRequest as GetRequest,
  GetValueResponse as GetResponse,
  GetTaskStateRequest,
  GetTaskStateResponse,
  HasValueRequest,
  HasValueResponse,
  ListScratchpadRequest,
  ListScratchpadResponse,
  ScratchpadOrder,
  WorkingMemoryServiceService as Service,
  SessionEventKind,
  SetTaskStateRequest,
  SetTaskStateResponse,
  SetValueRequest,
  SetValueResponse,
  TaskState as TaskCodec,
  TaskStatus,
  TransactValuesRequest,
  TransactValuesResponse,
  UpdateTaskProgressRequest,
  UpdateTaskProgressResponse,
  WatchSessionRequest as WatchRequest,
  WatchSessionResponse as WatchResponse,
} from '../../../../gen/ts/mneme/v1/working_memory_service.ts';
import {
  contradictionOf,
  patchedTask,
  type SessionChangeKind,
  type SessionKey,
  type TaskFields,
  type TaskState,
} from '../../../memory/session.ts';
import type { SessionOp } from '../../../storage/session-store.ts';
import {
  type WatchEvent,
  type WatchMessage,
  type WatchRequest as WatchSessionRequest,
  watchSession,
} from '../../operations/sessions/working-memory/watch-session.ts';
import {
  changeSession,
  type WorkingMemoryDeps,
  writeSession,
} from '../../operations/sessions/working-memory/write-session.ts';
import { type Route, serverStream, unary } from '../edge/handler.ts';
import { pageQuery, pageToken, positionIn } from '../edge/page-token.ts';
import { instantOf, type RequestChecks, timestampOf } from '../edge/request-checks.ts';
import { mapped } from '../edge/stream-messages.ts';
import { contentOf } from '../memories/memory-fields.ts';
import { checkpointMethods, checkpointReadMethods } from './checkpoint-methods.ts';
import { patternOf, type WorkingPageLimits, workingListMethods } from './working-list-methods.ts';
import {
  checked,
  entryMessage,
  expiryOf,
  givenContent,
  ifVersionOf,
  keyIn,
  keyRequestOf,
  noteMessage,
  sessionDefaultOf,
  sessionIn,
  sessionRequestOf,
  TASK_STATUSES,
  taskMessage,
  transactRequestOf,
} from './working-memory-messages.ts';

/** `proto/mneme/v1/working_memory_service.proto`. */
export function workingMemoryService(deps: WorkingMemoryDeps, limits: WorkingPageLimits): Route[] {
  return [
    ...workingValueMethods(deps),
    ...workingListMethods(deps, limits),
    ...taskMethods(deps),
    ...scratchpadMethods(deps, limits),
    ...checkpointMethods(deps),
    ...checkpointReadMethods(deps, limits),
    watchSessionMethod(deps),
  ];
}

/** Proxies close streams that are silent for a minute. */
const HEARTBEAT_DEFAULT_MS = 15_000;
const HEARTBEAT_MAX_S = 60;

const KINDS: Readonly<Record<SessionChangeKind, SessionEventKind>> = {
  set: SessionEventKind.SESSION_EVENT_KIND_SET,
  deleted: SessionEventKind.SESSION_EVENT_KIND_DELETED,
  expired: SessionEventKind.SESSION_EVENT_KIND_EXPIRED,
  touched: SessionEventKind.SESSION_EVENT_KIND_TOUCHED,
  cleared: SessionEventKind.SESSION_EVENT_KIND_CLEARED,
  restored: SessionEventKind.SESSION_EVENT_KIND_RESTORED,
  task: SessionEventKind.SESSION_EVENT_KIND_TASK_STATE,
  noted: SessionEventKind.SESSION_EVENT_KIND_SCRATCHPAD_APPENDED,
  notes_cleared: SessionEventKind.SESSION_EVENT_KIND_SCRATCHPAD_CLEARED,
  checkpoint_created: SessionEventKind.SESSION_EVENT_KIND_CHECKPOINT_CREATED,
  checkpoint_deleted: SessionEventKind.SESSION_EVENT_KIND_CHECKPOINT_DELETED,
  lifecycle: SessionEventKind.SESSION_EVENT_KIND_LIFECYCLE,
};

function watchSessionMethod(deps: WorkingMemoryDeps): Route {
  return serverStream(Service.watchSession, WatchRequest, WatchResponse, (message, call) =>
    mapped(watchSession(deps, watchRequestOf(message), call), watchMessage),
  );
}

function watchRequestOf(message: WatchRequest): WatchSessionRequest {
  const { session, afterRevision, pattern, includeValues: withValues, heartbeatInterval } = message;
  return checked((checks) => ({
    ...sessionIn(checks, 'session', session),
    afterRevision: afterRevision === undefined ? undefined : checks.wholeWithin('after_revision', afterRevision),
    ...patternOf(checks, 'pattern', pattern),
    withValues,
    heartbeatMs: heartbeatInterval
      ? checks.within('heartbeat_interval', secondsOf(heartbeatInterval), 1, HEARTBEAT_MAX_S) * 1000
      : HEARTBEAT_DEFAULT_MS,
  }));
}

function secondsOf({ seconds, nanos }: { seconds: bigint; nanos: number }): number {
  return Number(seconds) + nanos / 1e9;
}

function watchMessage(message: WatchMessage): WatchResponse {
  const revision = BigInt(message.revision);
  switch (message.kind) {
    case 'created':
      return { revision, message: { $case: 'created', value: {} } };
    case 'progress':
      return { revision, message: { $case: 'progress', value: {} } };
    case 'events':
      return { revision, message: { $case: 'events', value: { events: message.events.map(eventMessage) } } };
  }
}

function eventMessage({ kind, revision, key, atUs, entry }: WatchEvent) {
  const time = timestampOf(atUs);
  return { kind: KINDS[kind], revision: BigInt(revision), key, time, entry: entry && entryMessage(entry) };
}

const KEYS_MAX = 1000;

/** The methods of WorkingMemoryService on single keys and several of them. */
function workingValueMethods(deps: WorkingMemoryDeps): Route[] {
  const { clock, sessions } = deps;
  return [
    unary(Service.setValue, SetValueRequest, SetValueResponse, async (message, call) => {
      const { of, op, first } = checked((checks) => ({
        of: sessionIn(checks, 'session', message.session),
        op: {
          kind: 'set' as const,
          key: keyIn(checks, 'key', message.key),
          content: givenContent(checks, 'value', message.value),
          expiry: expiryOf(checks, 'expiry', message.expiry, clock.nowUs()),
          ...ifVersionOf(checks, 'if_version', message.ifVersion),
        },
        first: sessionDefaultOf(checks, message.sessionDefault),
      }));
      const { results, revision } = await writeSession(deps, of, [...first, op], call);
      const head = results.at(-1)?.head;
      return { entry: head && entryMessage(head), revision: BigInt(revision) };
    }),
    unary(Service.getValue, GetRequest, GetResponse, async (message) => {
      const { of, key } = keyRequestOf(message);
      const { entries, revision } = await sessions.get({ ...of, keys: [key], nowUs: clock.nowUs() });
      return { entry: entries[0] && entryMessage(entries[0]), revision: BigInt(revision) };
    }),
    unary(Service.batchGetValues, BatchGetRequest, BatchGetResponse, async (message) => {
      const { of, keys } = checked((checks) => {
        const { length } = message.keys;
        if (length < 1 || length > KEYS_MAX) checks.add('keys', `must be 1 to ${KEYS_MAX}, got ${length}`);
        return {
          of: sessionIn(checks, 'session', message.session),
          keys: message.keys.slice(0, KEYS_MAX).map((key, at) => keyIn(checks, `keys[${at}]`, key)),
        };
      });
      const { entries, revision } = await sessions.get({ ...of, keys, nowUs: clock.nowUs() });
      return {
        entries: entries.flatMap((entry) => (entry ? [entryMessage(entry)] : [])),
        missing: keys.filter((_, at) => !entries[at]),
        revision: BigInt(revision),
      };
    }),
    unary(Service.hasValue, HasValueRequest, HasValueResponse, async (message) => {
      const { of, key } = keyRequestOf(message);
      const { entries, revision } = await sessions.get({ ...of, keys: [key], nowUs: clock.nowUs() });
      const [entry] = entries;
      const head = entry && { ...entryMessage(entry), value: undefined };
      return { exists: entry !== undefined, entry: head, revision: BigInt(revision) };
    }),
    unary(Service.deleteValue, DeleteRequest, DeleteResponse, async (message, call) => {
      const { of, op } = checked((checks) => ({
        of: sessionIn(checks, 'session', message.session),
        op: {
          kind: 'delete' as const,
          key: keyIn(checks, 'key', message.key),
          ...ifVersionOf(checks, 'if_version', message.ifVersion),
        },
      }));
      const { result, revision } = await writeSession(deps, of, [op], call);
      return { deleted: result.removed > 0, revision: BigInt(revision) };
    }),
    unary(Service.clearWorkingMemory, ClearWorkingMemoryRequest, ClearWorkingMemoryResponse, async (message, call) => {
      const { keepValues, clearTaskState: task, clearScratchpad: notes } = message;
      const of = checked((checks) => sessionIn(checks, 'session', message.session));
      const op = { kind: 'clear', values: !keepValues, task, notes, checkpoints: false } as const;
      const { result, revision } = await writeSession(deps, of, [op], call);
      return { keyCount: result.removed, noteCount: result.notes ?? 0, revision: BigInt(revision) };
    }),
    unary(Service.transactValues, TransactValuesRequest, TransactValuesResponse, async (message, call) => {
      const { of, ops } = transactRequestOf(message, clock.nowUs());
      const { results, revision } = await writeSession(deps, of, ops, call);
      return {
        results: results.map(({ head, removed }) => ({ entry: head && entryMessage(head), deleted: removed > 0 })),
        revision: BigInt(revision),
      };
    }),
  ];
}

const PAGE_DEFAULT = 100;
const NOTES_MAX = 1000;
const ORDERS: Readonly<Record<number, 'oldest' | 'newest'>> = {
  [ScratchpadOrder.SCRATCHPAD_ORDER_UNSPECIFIED]: 'oldest',
  [ScratchpadOrder.SCRATCHPAD_ORDER_OLDEST_FIRST]: 'oldest',
  [ScratchpadOrder.SCRATCHPAD_ORDER_NEWEST_FIRST]: 'newest',
};

/** The methods of WorkingMemoryService on the task state. */
function taskMethods(deps: WorkingMemoryDeps): Route[] {
  return [
    unary(Service.setTaskState, SetTaskStateRequest, SetTaskStateResponse, async (message, call) => {
      const { of, op } = setTaskRequestOf(message);
      const { result, revision } = await writeSession(deps, of, [op], call);
      return { task: result.task && taskMessage(result.task), revision: BigInt(revision) };
    }),
    unary(Service.getTaskState, GetTaskStateRequest, GetTaskStateResponse, async (message) => {
      const record = await deps.sessions.session(sessionRequestOf(message));
      const task = record?.task ? (JSON.parse(record.task) as TaskState) : undefined;
      return { task: task && taskMessage(task), revision: BigInt(record?.revision ?? 0) };
    }),
    unary(Service.updateTaskProgress, UpdateTaskProgressRequest, UpdateTaskProgressResponse, async (message, call) => {
      const { of, op } = taskPatchRequestOf(message);
      const { result, revision } = await changeSession(deps, of, [op], call);
      return { task: result.task && taskMessage(result.task), revision: BigInt(revision) };
    }),
  ];
}

/** The methods of WorkingMemoryService on the scratchpad. */
function scratchpadMethods(deps: WorkingMemoryDeps, limits: WorkingPageLimits): Route[] {
  return [
    unary(Service.appendScratchpad, AppendScratchpadRequest, AppendScratchpadResponse, async (message, call) => {
      const { of, contents } = checked((checks) => {
        const { length } = message.notes;
        if (length < 1 || length > NOTES_MAX) checks.add('notes', `must be 1 to ${NOTES_MAX}, got ${length}`);
        return {
          of: sessionIn(checks, 'session', message.session),
          contents: message.notes.slice(0, NOTES_MAX).map((note, at) => contentOf(checks, `notes[${at}]`, note)),
        };
      });
      const { result, revision } = await writeSession(deps, of, [{ kind: 'append', contents }], call);
      return { firstSequence: result.sequence ?? 0, droppedCount: result.notes ?? 0, revision: BigInt(revision) };
    }),
    unary(Service.listScratchpad, ListScratchpadRequest, ListScratchpadResponse, async (message) => {
      const read = checked((checks) => ({
        ...sessionIn(checks, 'session', message.session),
        order: checks.choice('order', message.order, ORDERS),
        limit: checks.pageSize(message.pageSize, PAGE_DEFAULT, limits.maxPageSize),
        bytesMax: limits.maxPageBytes,
      }));
      const fields = { ...message, pageSize: 0, pageToken: '' };
      const query = pageQuery(Service.listScratchpad.path, ListScratchpadRequest, fields);
      const after = positionIn<number>(query, message.pageToken);
      const page = await deps.sessions.notes(after === undefined ? read : { ...read, after });
      return {
        notes: page.notes.map(noteMessage),
        nextPageToken: page.isLast ? '' : pageToken(query, page.notes.at(-1)?.sequence),
        totalCount: page.total,
        droppedCount: page.dropped,
        revision: BigInt(page.revision),
      };
    }),
    unary(Service.clearScratchpad, ClearScratchpadRequest, ClearScratchpadResponse, async (message, call) => {
      const of = sessionRequestOf(message);
      const op = { kind: 'clear', values: false, task: false, notes: true, checkpoints: false } as const;
      const { result, revision } = await writeSession(deps, of, [op], call);
      return { noteCount: result.notes ?? 0, revision: BigInt(revision) };
    }),
  ];
}

const ID_BYTES = 128;
const DESCRIPTION_BYTES = 4096;
const DETAIL_BYTES = 1024;

interface TaskRequest<K extends 'setTask' | 'patchTask'> {
  readonly of: SessionKey;
  readonly op: Extract<SessionOp, { kind: K }>;
}

function setTaskRequestOf({ session, task, ifVersion }: SetTaskStateRequest): TaskRequest<'setTask'> {
  return checked((checks) => {
    if (!task) checks.add('task', 'is required');
    const message = task ?? TaskCodec.fromPartial({});
    const fields: TaskFields = {
      taskId: checks.text('task.task_id', message.taskId, ID_BYTES, { plain: true }),
      description: checks.text('task.description', message.description, DESCRIPTION_BYTES),
      status: checks.choice('task.status', message.status, TASK_STATUSES),
      detail: checks.text('task.detail', message.detail, DETAIL_BYTES),
      currentStep: stepOf(checks, 'task.current_step', message.currentStep),
      totalSteps: stepOf(checks, 'task.total_steps', message.totalSteps),
      progressPercent: checks.finite('task.progress_percent', message.progressPercent),
    };
    const wrong = contradictionOf(fields);
    if (wrong) checks.add(wrong.field, wrong.description);
    const { startTime } = message;
    const startedAtUs = startTime && instantOf(checks, 'task.start_time', startTime);
    return {
      of: sessionIn(checks, 'session', session),
      op: {
        kind: 'setTask',
        task: patchedTask(fields, {}),
        startedAtUs,
        ...ifVersionOf(checks, 'if_version', ifVersion),
      },
    };
  });
}

function taskPatchRequestOf(message: UpdateTaskProgressRequest): TaskRequest<'patchTask'> {
  return checked((checks) => {
    const { currentStep, totalSteps, progressPercent, status, detail, description } = message;
    const patch: Partial<TaskFields> = {
      ...(currentStep === undefined ? {} : { currentStep: checks.wholeWithin('current_step', currentStep) }),
      ...(totalSteps === undefined ? {} : { totalSteps: checks.wholeWithin('total_steps', totalSteps) }),
      ...(progressPercent === undefined ? {} : { progressPercent: checks.finite('progress_percent', progressPercent) }),
      ...(status === TaskStatus.TASK_STATUS_UNSPECIFIED
        ? {}
        : { status: checks.choice('status', status, TASK_STATUSES) }),
      ...(detail === undefined ? {} : { detail: checks.text('detail', detail, DETAIL_BYTES) }),
      ...(description === undefined ? {} : { description: checks.text('description', description, DESCRIPTION_BYTES) }),
    };
    if (Object.keys(patch).length === 0) checks.add('current_step', 'is required, or another field');
    const { session, ifVersion } = message;
    const of = sessionIn(checks, 'session', session);
    return { of, op: { kind: 'patchTask', patch, ...ifVersionOf(checks, 'if_version', ifVersion) } };
  });
}

function stepOf(checks: RequestChecks, field: string, step: number): number {
  return checks.within(field, step, 0, Number.MAX_SAFE_INTEGER);
}
