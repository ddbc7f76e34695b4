import { randomUUID } from 'node:crypto';
import { CheckpointKind, RestoreMode } from '../../../gen/ts/mneme/v1/checkpoint.ts';
import {
  LifecycleServiceService as methods,
  type PauseSessionRequest,
} from '../../../gen/ts/mneme/v1/lifecycle_service.ts';
import { WorkingMemoryServiceService } from '../../../gen/ts/mneme/v1/working_memory_service.ts';
import type { Connection } from './connection.ts';
import { contentMessage } from './content-messages.ts';
import { STATE_CODES, sessionOf, toldOf } from './lifecycle-messages.ts';
import { defaultExpiryOf, idleExpiryOf, terminateMessage, transitionOf } from './lifecycle-requests.ts';
import { type LifecycleStreams, lifecycleStreams } from './lifecycle-streams.ts';
import type {
  DeleteSessionRequest,
  DeleteSessionResult,
  PauseRequest,
  PauseResult,
  ResumeRequest,
  ResumeResult,
  Session,
  SessionState,
  SpawnRequest,
  SpawnResult,
  TerminateRequest,
  TerminateResult,
} from './lifecycle-types.ts';
import type { Scope } from './memory.ts';
import { scopeMessage } from './memory-to-message.ts';
import { namespaceName, partsOfName } from './names.ts';
import type { CallOptions, WriteOptions } from './options.ts';
import { itemsOfPages } from './paging.ts';
import { durationOfMs } from './precise-date.ts';
import { checkpointOf } from './working-memory-messages.ts';
import type { Checkpoint } from './working-memory-types.ts';

/** The lives of sessions. A session is named by its id or its full resource name. */
export interface LifecycleCalls extends LifecycleStreams {
  /** Makes a session that is active, with the values it starts with. */
  spawn(query?: SpawnRequest, options?: WriteOptions): Promise<SpawnResult>;
  /** Pauses a session, with a checkpoint of its contents. */
  pause(session: string, query?: PauseRequest, options?: WriteOptions): Promise<PauseResult>;
  /** Resumes a session with the contents of a checkpoint. */
  resume(session: string, query?: ResumeRequest, options?: WriteOptions): Promise<ResumeResult>;
  /** Ends a session: its history becomes a memory of type `episode`, and its contents are deleted. */
  terminate(session: string, query?: TerminateRequest, options?: WriteOptions): Promise<TerminateResult>;
  /** Deletes a session with all its contents and frees its id. An active one only with `force`. */
  delete(session: string, query?: DeleteSessionRequest, options?: WriteOptions): Promise<DeleteSessionResult>;
  /** With a scope: fails if the session belongs to another scope. */
  get(session: string, options?: CallOptions & { readonly scope?: Scope }): Promise<Session>;
  /** In the order of their ids. */
  list(
    query?: { readonly scope?: Scope; readonly states?: readonly SessionState[] },
    options?: CallOptions,
  ): AsyncGenerator<Session, void, undefined>;
  /** Checkpoints that pauses have made, newest first. */
  listCheckpoints(session: string, options?: CallOptions): AsyncGenerator<Checkpoint, void, undefined>;
}

export function lifecycleCalls(connection: Connection, namespace: string): LifecycleCalls {
  const parent = namespaceName(namespace);
  const nameOf = (session: string) => (session.startsWith('namespaces/') ? session : `${parent}/sessions/${session}`);
  return {
    ...transitionCalls(connection, parent, nameOf),
    ...readCalls(connection, parent, nameOf),
    ...lifecycleStreams(connection, parent),
  };
}

type NameOf = (session: string) => string;
type Part<K extends keyof LifecycleCalls> = Pick<LifecycleCalls, K>;

function transitionCalls(
  connection: Connection,
  parent: string,
  nameOf: NameOf,
): Part<'spawn' | 'pause' | 'resume' | 'terminate' | 'delete'> {
  return {
    delete: deleteCall(connection, nameOf),
    async spawn(query = {}, { requestId = randomUUID(), ...options } = {}) {
      const { sessionId: id = '', scope, initialValues: state = {}, metadata = {} } = query;
      const initialValues = Object.entries(state).map(([key, value]) => ({
        key,
        value: contentMessage(value, `initial_values.${key}`),
        ttl: undefined,
        noExpiry: false,
      }));
      const expiries = { defaultExpiry: defaultExpiryOf(query), idleExpiry: idleExpiryOf(query) };
      const owner = { parent, sessionId: id, scope: scopeMessage(scope) };
      const request = { ...owner, initialValues, metadata, ...expiries, requestId };
      const answer = await connection.unary(methods.spawnSession, request, options);
      return { session: sessionOf(answer.session), valueCount: answer.valueCount, ...toldOf(answer) };
    },

    async pause(session, query = {}, { requestId = randomUUID(), ...options } = {}) {
      const { checkpointTtlMs } = query;
      const request: PauseSessionRequest = {
        ...transitionOf(nameOf(session), query, requestId),
        checkpointId: query.checkpointId ?? '',
        description: query.description ?? '',
        checkpointTtl: checkpointTtlMs === undefined ? undefined : durationOfMs(checkpointTtlMs),
        pin: query.pin ?? false,
        allowWrites: query.allowWrites ?? false,
        includeMemories: query.includeMemories ?? false,
      };
      const answer = await connection.unary(methods.pauseSession, request, options);
      return {
        session: sessionOf(answer.session),
        checkpoint: checkpointOf(answer.checkpoint),
        ...toldOf(answer),
      };
    },

    async resume(session, query = {}, { requestId = randomUUID(), ...options } = {}) {
      const request = {
        ...transitionOf(nameOf(session), query, requestId),
        checkpointId: query.checkpointId ?? '',
        mode: query.mode === 'merge' ? RestoreMode.RESTORE_MODE_MERGE : RestoreMode.RESTORE_MODE_REPLACE,
        restoreMemories: query.restoreMemories ?? false,
      };
      const { restoredCount, expiredCount, ...answer } = await connection.unary(
        methods.resumeSession,
        request,
        options,
      );
      return {
        session: sessionOf(answer.session),
        checkpoint: checkpointOf(answer.checkpoint),
        restoredCount,
        expiredCount,
        ...toldOf(answer),
      };
    },

    async terminate(session, query = {}, { requestId = randomUUID(), ...options } = {}) {
      const request = terminateMessage(nameOf(session), query, requestId);
      const answer = await connection.unary(methods.terminateSession, request, options);
      connection.seen(answer.memoryRevision);
      const { episode, consolidatedCount, truncated, clearedCount, clearedCheckpointCount } = answer;
      return {
        session: sessionOf(answer.session),
        ...(episode && { episodeId: partsOfName(episode).id }),
        consolidatedCount,
        truncated,
        clearedCount,
        clearedCheckpointCount,
        ...toldOf(answer),
      };
    },
  };
}

function deleteCall(connection: Connection, nameOf: NameOf): LifecycleCalls['delete'] {
  return async (session, query = {}, { requestId = randomUUID(), ...options } = {}) => {
    const request = { ...transitionOf(nameOf(session), query, requestId), force: query.force ?? false };
    const answer = await connection.unary(methods.deleteSession, request, options);
    const { clearedCount, clearedNoteCount, clearedCheckpointCount } = answer;
    return {
      clearedCount,
      clearedNoteCount,
      clearedCheckpointCount,
      ...toldOf(answer),
    };
  };
}

function readCalls(connection: Connection, parent: string, nameOf: NameOf): Part<'get' | 'list' | 'listCheckpoints'> {
  return {
    async get(session, { scope, ...options } = {}) {
      const request = { session: nameOf(session), scope: scopeMessage(scope) };
      return sessionOf((await connection.unary(methods.getSession, request, options)).session);
    },

    list({ scope, states = [] } = {}, options = {}) {
      const query = { parent, scope: scopeMessage(scope), states: states.map((state) => STATE_CODES[state]) };
      return itemsOfPages(async (pageToken) => {
        const page = await connection.unary(methods.listSessions, { ...query, pageSize: 0, pageToken }, options);
        return { items: page.sessions.map(sessionOf), nextPageToken: page.nextPageToken };
      });
    },

    listCheckpoints(session, options = {}) {
      return itemsOfPages(async (pageToken) => {
        const kind = CheckpointKind.CHECKPOINT_KIND_LIFECYCLE;
        const request = { session: nameOf(session), pageSize: 0, pageToken, kind };
        const page = await connection.unary(WorkingMemoryServiceService.listCheckpoints, request, options);
        return { items: page.checkpoints.map(checkpointOf), nextPageToken: page.nextPageToken };
      });
    },
  };
}
