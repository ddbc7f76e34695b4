import { randomUUID } from 'node:crypto';
import { WorkingMemoryServiceService as methods } from '../../../gen/ts/mneme/v1/working_memory_service.ts';
import { integerOf } from './bad-input.ts';
import { checkpointCalls } from './checkpoint-calls.ts';
import type { Connection } from './connection.ts';
import { contentMessage } from './content-messages.ts';
import { scopeOfMessage } from './message-to-memory.ts';
import { itemsOfPages } from './paging.ts';
import { sessionName } from './session-name.ts';
import { taskAndNoteCalls } from './task-and-note-calls.ts';
import { watchSession } from './watch-session.ts';
import type { WorkingMemory } from './working-memory-calls.ts';
import {
  entryOf,
  expiryMessage,
  keyOf,
  operationMessage,
  sessionDefaultMessage,
  timeOf,
} from './working-memory-messages.ts';

/** 0 leaves the size of a page to the server. */
const SERVER_PAGE_SIZE = 0;

export function workingMemory(connection: Connection, namespace: string, id: string): WorkingMemory {
  const session = sessionName(namespace, id);
  return {
    session: id,
    ...checkpointCalls(connection, namespace, id),
    ...taskAndNoteCalls(connection, session),
    watch: (query = {}, options = {}) => watchSession(connection, session, query, options),

    async set(key, value, { requestId = randomUUID(), expiry, ifVersion, sessionDefaultTtlMs, ...options } = {}) {
      const sessionDefault = sessionDefaultMessage(sessionDefaultTtlMs);
      const condition = { expiry: expiryMessage(expiry), ifVersion: integerOf(ifVersion, 'ifVersion'), sessionDefault };
      const request = { session, key, value: contentMessage(value, 'value'), ...condition, requestId };
      return keyOf((await connection.unary(methods.setValue, request, options)).entry);
    },
    async get(key, options = {}) {
      const { entry } = await connection.unary(methods.getValue, { session, key }, options);
      return entry && entryOf(entry);
    },
    async batchGet(keys, options = {}) {
      const answer = await connection.unary(methods.batchGetValues, { session, keys: [...keys] }, options);
      return { entries: answer.entries.map(entryOf), missing: answer.missing };
    },
    async has(key, options = {}) {
      return (await connection.unary(methods.hasValue, { session, key }, options)).exists;
    },
    async delete(key, { requestId = randomUUID(), ifVersion, ...options } = {}) {
      const request = { session, key, ifVersion: integerOf(ifVersion, 'ifVersion'), requestId };
      return (await connection.unary(methods.deleteValue, request, options)).deleted;
    },
    listKeys(pattern = '', options = {}) {
      return itemsOfPages(async (pageToken) => {
        const request = { session, pattern, pageSize: SERVER_PAGE_SIZE, pageToken };
        const { entries, nextPageToken } = await connection.unary(methods.listKeys, request, options);
        return { items: entries.map(keyOf), nextPageToken };
      });
    },
    getAll({ pattern = '', checkpointId = '' } = {}, options = {}) {
      return itemsOfPages(async (pageToken) => {
        const request = { session, pattern, checkpointId, pageSize: SERVER_PAGE_SIZE, pageToken };
        const { entries, nextPageToken } = await connection.unary(methods.getAllValues, request, options);
        return { items: entries.map(entryOf), nextPageToken };
      });
    },
    async clear({
      requestId = randomUUID(),
      keepValues = false,
      clearTaskState = false,
      clearScratchpad = false,
      ...options
    } = {}) {
      const request = { session, keepValues, clearTaskState, clearScratchpad, requestId };
      const { keyCount, noteCount } = await connection.unary(methods.clearWorkingMemory, request, options);
      return { keyCount, noteCount };
    },
    async transact(operations, { requestId = randomUUID(), ...options } = {}) {
      const request = { session, operations: operations.map(operationMessage), requestId };
      const { results } = await connection.unary(methods.transactValues, request, options);
      return results.map(({ entry }) => entry && keyOf(entry));
    },

    async getStatistics(options = {}) {
      const { revision, createTime, updateTime, scope, ...counts } = await connection.unary(
        methods.getWorkingMemoryStatistics,
        { session },
        options,
      );
      const times = { createTime: timeOf(createTime), updateTime: timeOf(updateTime) };
      return { ...counts, ...times, revision: Number(revision), scope: scopeOfMessage(scope) };
    },
  };
}
