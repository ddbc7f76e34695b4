import { randomUUID } from 'node:crypto';
import { CheckpointKind, RestoreMode } from '../../../gen/ts/mneme/v1/checkpoint.ts';
import {
  KeyDifference,
  WorkingMemoryServiceService as methods,
} from '../../../gen/ts/mneme/v1/working_memory_service.ts';
import type { Connection } from './connection.ts';
import type { CallOptions, WriteOptions } from './options.ts';
import { itemsOfPages } from './paging.ts';
import { durationOfMs } from './precise-date.ts';
import { sessionName } from './session-name.ts';
import { checkpointOf, taskOf } from './working-memory-messages.ts';
import type { Checkpoint, CheckpointDiff, RestoreCheckpointResult } from './working-memory-types.ts';

const KINDS: Readonly<Record<Checkpoint['kind'], CheckpointKind>> = {
  manual: CheckpointKind.CHECKPOINT_KIND_MANUAL,
  lifecycle: CheckpointKind.CHECKPOINT_KIND_LIFECYCLE,
};

/** 0 leaves the size of a page to the server. */
const SERVER_PAGE_SIZE = 0;

/** Calls of WorkingMemoryService for the checkpoints of one session. */
export interface CheckpointCalls {
  /** Saves the contents of the session. `AlreadyExistsError` when the id exists. `ttlMs` is its time to live. */
  createCheckpoint(
    query?: { readonly checkpointId?: string; readonly description?: string; readonly ttlMs?: number },
    options?: WriteOptions,
  ): Promise<Checkpoint>;
  /** Restores the contents of a checkpoint atomically; with `merge`, other keys stay. */
  restoreCheckpoint(
    id: string,
    options?: WriteOptions & { readonly mode?: 'replace' | 'merge' },
  ): Promise<RestoreCheckpointResult>;
  /** Newest first; optionally of one `kind`: requested ones, or those of pauses. */
  listCheckpoints(
    options?: CallOptions & { readonly kind?: Checkpoint['kind'] },
  ): AsyncGenerator<Checkpoint, void, undefined>;
  getCheckpoint(id: string, options?: CallOptions): Promise<Checkpoint>;
  /** Sets how long a checkpoint is kept from now on; without `ttlMs`, until it is deleted. */
  keepCheckpoint(id: string, options?: WriteOptions & { readonly ttlMs?: number }): Promise<Checkpoint>;
  deleteCheckpoint(id: string, options?: WriteOptions): Promise<void>;
  /** Creates a session with the contents of a checkpoint. `AlreadyExistsError` when it exists. */
  forkCheckpoint(
    id: string,
    target: string,
    options?: WriteOptions,
  ): Promise<{ keyCount: number; noteCount: number; expiredCount: number }>;
  /** Compares a checkpoint with another one, or with the current contents of the session. */
  diffCheckpoints(
    from: string,
    query?: { readonly toCheckpointId?: string; readonly toSession?: string },
    options?: CallOptions,
  ): Promise<CheckpointDiff>;
}

export function checkpointCalls(connection: Connection, namespace: string, id: string): CheckpointCalls {
  const session = sessionName(namespace, id);
  return {
    async createCheckpoint(query = {}, { requestId = randomUUID(), ...options } = {}) {
      const { checkpointId = '', description = '', ttlMs } = query;
      const ttl = ttlMs === undefined ? undefined : durationOfMs(ttlMs);
      const request = { session, checkpointId, description, ttl, requestId };
      return checkpointOf((await connection.unary(methods.createCheckpoint, request, options)).checkpoint);
    },
    async restoreCheckpoint(checkpointId, { requestId = randomUUID(), mode = 'replace', ...options } = {}) {
      const code = mode === 'merge' ? RestoreMode.RESTORE_MODE_MERGE : RestoreMode.RESTORE_MODE_REPLACE;
      const request = { session, checkpointId, mode: code, requestId };
      const { revision, ...restored } = await connection.unary(methods.restoreCheckpoint, request, options);
      return { ...restored, checkpoint: checkpointOf(restored.checkpoint), revision: Number(revision) };
    },
    listCheckpoints({ kind, ...options } = {}) {
      return itemsOfPages(async (pageToken) => {
        const request = {
          session,
          pageSize: SERVER_PAGE_SIZE,
          pageToken,
          kind: kind ? KINDS[kind] : CheckpointKind.CHECKPOINT_KIND_UNSPECIFIED,
        };
        const { checkpoints, nextPageToken } = await connection.unary(methods.listCheckpoints, request, options);
        return { items: checkpoints.map(checkpointOf), nextPageToken };
      });
    },
    async getCheckpoint(checkpointId, options = {}) {
      return checkpointOf(
        (await connection.unary(methods.getCheckpoint, { session, checkpointId }, options)).checkpoint,
      );
    },
    async keepCheckpoint(checkpointId, { requestId = randomUUID(), ttlMs, ...options } = {}) {
      const ttl = ttlMs === undefined ? undefined : durationOfMs(ttlMs);
      const request = { session, checkpointId, ttl, requestId };
      return checkpointOf((await connection.unary(methods.keepCheckpoint, request, options)).checkpoint);
    },
    async deleteCheckpoint(checkpointId, { requestId = randomUUID(), ...options } = {}) {
      await connection.unary(methods.deleteCheckpoint, { session, checkpointId, requestId }, options);
    },
    async forkCheckpoint(checkpointId, target, { requestId = randomUUID(), ...options } = {}) {
      const request = { session, checkpointId, targetSession: sessionName(namespace, target), requestId };
      const { keyCount, noteCount, expiredCount } = await connection.unary(methods.forkCheckpoint, request, options);
      return { keyCount, noteCount, expiredCount };
    },
    async diffCheckpoints(from, { toCheckpointId = '', toSession } = {}, options = {}) {
      const other = toSession === undefined ? '' : sessionName(namespace, toSession);
      const answer = await connection.unary(
        methods.diffCheckpoints,
        { session, checkpointId: from, toCheckpointId, toSession: other },
        options,
      );
      const { fromTask, toTask, keys, ...rest } = answer;
      return {
        ...rest,
        keys: keys.map((key) => ({ ...key, difference: DIFFERENCES[key.difference] ?? 'changed' })),
        ...(fromTask && { fromTask: taskOf(fromTask) }),
        ...(toTask && { toTask: taskOf(toTask) }),
      };
    },
  };
}

const DIFFERENCES: Readonly<Record<number, 'added' | 'removed' | 'changed'>> = {
  [KeyDifference.KEY_DIFFERENCE_ADDED]: 'added',
  [KeyDifference.KEY_DIFFERENCE_REMOVED]: 'removed',
  [KeyDifference.KEY_DIFFERENCE_CHANGED]: 'changed',
};
