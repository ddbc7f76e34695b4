import { randomUUID } from 'node:crypto';
import {
  WorkingMemoryServiceService as methods,
  ScratchpadOrder,
  TaskStatus as StatusCode,
} from '../../../gen/ts/mneme/v1/working_memory_service.ts';
import { integerOf } from './bad-input.ts';
import type { Connection } from './connection.ts';
import { Content } from './content.ts';
import { contentMessage, contentOfMessage } from './content-messages.ts';
import { itemsOfPages } from './paging.ts';
import type { WorkingMemory } from './working-memory-calls.ts';
import { STATUS_CODES, taskOf, timeOf } from './working-memory-messages.ts';

/** 0 leaves the size of a page to the server. */
const SERVER_PAGE_SIZE = 0;

type Calls = Pick<
  WorkingMemory,
  'setTaskState' | 'getTaskState' | 'updateTaskProgress' | 'appendScratchpad' | 'listScratchpad' | 'clearScratchpad'
>;

/** Task state and scratchpad of the session of this resource name. */
export function taskAndNoteCalls(connection: Connection, session: string): Calls {
  return {
    async setTaskState({ taskId = '', ...progress }, { requestId = randomUUID(), ifVersion, ...options } = {}) {
      const { description = '', status = 'pending', detail = '', currentStep = 0, totalSteps = 0 } = progress;
      const { progressPercent = 0 } = progress;
      const task = {
        ...{ taskId, description, status: STATUS_CODES[status], detail, currentStep, totalSteps, progressPercent },
        ...{ startTime: undefined, updateTime: undefined, version: 0n },
      };
      const request = { session, task, ifVersion: integerOf(ifVersion, 'ifVersion'), requestId };
      return taskOf((await connection.unary(methods.setTaskState, request, options)).task);
    },
    async getTaskState(options = {}) {
      const { task } = await connection.unary(methods.getTaskState, { session }, options);
      return task && taskOf(task);
    },
    async updateTaskProgress(progress, { requestId = randomUUID(), ifVersion, ...options } = {}) {
      const { currentStep, totalSteps, progressPercent, status, detail, description } = progress;
      const request = {
        ...{ session, progressPercent, detail, description, requestId },
        currentStep: integerOf(currentStep, 'currentStep'),
        totalSteps: integerOf(totalSteps, 'totalSteps'),
        status: status === undefined ? StatusCode.TASK_STATUS_UNSPECIFIED : STATUS_CODES[status],
        ifVersion: integerOf(ifVersion, 'ifVersion'),
      };
      return taskOf((await connection.unary(methods.updateTaskProgress, request, options)).task);
    },

    async appendScratchpad(notes, { requestId = randomUUID(), ...options } = {}) {
      const all = typeof notes === 'string' || notes instanceof Content ? [notes] : notes;
      const contents = all.map((note) => contentMessage(typeof note === 'string' ? Content.text(note) : note));
      const request = { session, notes: contents, requestId };
      const { firstSequence, droppedCount } = await connection.unary(methods.appendScratchpad, request, options);
      return { firstSequence, droppedCount };
    },
    listScratchpad({ order = 'oldest' } = {}, options = {}) {
      const newest = order === 'newest';
      return itemsOfPages(async (pageToken) => {
        const code = newest
          ? ScratchpadOrder.SCRATCHPAD_ORDER_NEWEST_FIRST
          : ScratchpadOrder.SCRATCHPAD_ORDER_OLDEST_FIRST;
        const request = { session, order: code, pageSize: SERVER_PAGE_SIZE, pageToken };
        const answer = await connection.unary(methods.listScratchpad, request, options);
        const items = answer.notes.map(({ sequence, time, content }) => ({
          sequence,
          time: timeOf(time),
          content: contentOfMessage(content),
        }));
        return { items, nextPageToken: answer.nextPageToken };
      });
    },
    async clearScratchpad({ requestId = randomUUID(), ...options } = {}) {
      const { noteCount } = await connection.unary(methods.clearScratchpad, { session, requestId }, options);
      return { noteCount };
    },
  };
}
