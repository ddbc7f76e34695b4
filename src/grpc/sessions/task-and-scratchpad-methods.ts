import {
  AppendScratchpadRequest,
  AppendScratchpadResponse,
  ClearScratchpadRequest,
  ClearScratchpadResponse,
  GetTaskStateRequest,
  GetTaskStateResponse,
  ListScratchpadRequest,
  ListScratchpadResponse,
  ScratchpadOrder,
  WorkingMemoryServiceService as Service,
  SetTaskStateRequest,
  SetTaskStateResponse,
  UpdateTaskProgressRequest,
  UpdateTaskProgressResponse,
} from '../../../gen/ts/mneme/v1/working_memory_service.ts';
import type { TaskState } from '../../memory/session.ts';
import type { WorkingMemoryDeps } from '../../operations/sessions/working-memory/working-memory-deps.ts';
import { changeSession, writeSession } from '../../operations/sessions/working-memory/write-session.ts';
import { type Route, unary } from '../edge/handler.ts';
import { pageQuery, pageToken, positionIn } from '../edge/page-token.ts';
import { contentOf } from '../memories/content-messages.ts';
import { sessionIn } from './session-fields.ts';
import { setTaskRequestOf, taskPatchRequestOf } from './task-requests.ts';
import type { WorkingPageLimits } from './working-list-methods.ts';
import { noteMessage, taskMessage } from './working-memory-messages.ts';
import { checked, sessionRequestOf } from './working-memory-requests.ts';

const PAGE_DEFAULT = 100;
const NOTES_MAX = 1000;
const ORDERS: Readonly<Record<number, 'oldest' | 'newest'>> = {
  [ScratchpadOrder.SCRATCHPAD_ORDER_UNSPECIFIED]: 'oldest',
  [ScratchpadOrder.SCRATCHPAD_ORDER_OLDEST_FIRST]: 'oldest',
  [ScratchpadOrder.SCRATCHPAD_ORDER_NEWEST_FIRST]: 'newest',
};

/** The methods of WorkingMemoryService on the task state. */
export function taskMethods(deps: WorkingMemoryDeps): Route[] {
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
export function scratchpadMethods(deps: WorkingMemoryDeps, limits: WorkingPageLimits): Route[] {
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
