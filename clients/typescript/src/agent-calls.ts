import { randomUUID } from 'node:crypto';
import {
  type AgentSnapshot as AgentSnapshotMessage,
  AgentServiceService as methods,
} from '../../../gen/ts/mneme/v1/agent_service.ts';
import { incompleteAnswer } from './bad-input.ts';
import type { Connection } from './connection.ts';
import type { Scope } from './memory.ts';
import { scopeMessage } from './memory-to-message.ts';
import { scopeOfMessage } from './message-to-memory.ts';
import { namespaceName, partsOfName } from './names.ts';
import type { CallOptions, WriteOptions } from './options.ts';
import { itemsOfPages } from './paging.ts';
import { dateOf, PreciseDate } from './precise-date.ts';

/** An agent; project and agent type may be left unsaid. */
export type AgentScope = Omit<Scope, 'session' | 'agent'> & { readonly agent: string };

/** An agent's memories at one moment. */
export interface AgentSnapshot {
  readonly id: string;
  readonly scope: Scope;
  readonly description: string;
  readonly createTime: Date;
  /** Revision of the change log that it shows. */
  readonly revision: number;
}

/** Ids of memories, at most 1,000 of each; the counts are of all. */
export interface AgentSnapshotDiff {
  readonly addedIds: readonly string[];
  readonly removedIds: readonly string[];
  readonly changedIds: readonly string[];
  readonly addedCount: number;
  readonly removedCount: number;
  readonly changedCount: number;
}

/** Branches, compares and restores all memories of an agent. */
export interface AgentCalls {
  createSnapshot(
    scope: AgentScope,
    options?: WriteOptions & { readonly snapshotId?: string; readonly description?: string },
  ): Promise<AgentSnapshot>;
  /** In the order of their ids. */
  listSnapshots(options?: CallOptions): AsyncGenerator<AgentSnapshot, void, undefined>;
  deleteSnapshot(id: string, options?: WriteOptions): Promise<void>;
  /** Changes from a snapshot to another one, to an agent such as a branch, or (by default) to the present. */
  diffSnapshots(
    id: string,
    to?: { readonly snapshotId: string } | { readonly scope: AgentScope },
    options?: CallOptions,
  ): Promise<AgentSnapshotDiff>;
  /** Restores the agent's memories to the snapshot, all of them or none. */
  restoreSnapshot(
    id: string,
    options?: WriteOptions,
  ): Promise<{ readonly restoredCount: number; readonly erasedCount: number }>;
  /** Copies the memories of a snapshot to another agent, all of them or none. */
  forkSnapshot(id: string, to: AgentScope, options?: WriteOptions): Promise<{ readonly copiedCount: number }>;
}

export function agentCalls(connection: Connection, namespace: string): AgentCalls {
  const parent = namespaceName(namespace);
  return {
    async createSnapshot(scope, { requestId = randomUUID(), snapshotId = '', description = '', ...options } = {}) {
      const request = { parent, scope: scopeMessage(scope), snapshotId, description, requestId };
      return snapshotOf((await connection.unary(methods.createAgentSnapshot, request, options)).snapshot);
    },

    listSnapshots(options = {}) {
      return itemsOfPages(async (pageToken) => {
        const request = { parent, pageSize: 0, pageToken };
        const page = await connection.unary(methods.listAgentSnapshots, request, options);
        return { items: page.snapshots.map(snapshotOf), nextPageToken: page.nextPageToken };
      });
    },

    async deleteSnapshot(snapshotId, { requestId = randomUUID(), ...options } = {}) {
      await connection.unary(methods.deleteAgentSnapshot, { parent, snapshotId, requestId }, options);
    },

    async diffSnapshots(snapshotId, to, options = {}) {
      const request = { parent, snapshotId, to: to && toOf(to) };
      const answer = await connection.unary(methods.diffAgentSnapshots, request, options);
      const ids = (names: readonly string[]) => names.map((name) => partsOfName(name).id);
      const { addedNames, removedNames, changedNames, ...counts } = answer;
      return {
        ...counts,
        addedIds: ids(addedNames),
        removedIds: ids(removedNames),
        changedIds: ids(changedNames),
      };
    },

    async restoreSnapshot(snapshotId, { requestId = randomUUID(), ...options } = {}) {
      const answer = await connection.unary(methods.restoreAgentSnapshot, { parent, snapshotId, requestId }, options);
      connection.seen(answer.revision);
      return { restoredCount: answer.restoredCount, erasedCount: answer.erasedCount };
    },

    async forkSnapshot(snapshotId, to, { requestId = randomUUID(), ...options } = {}) {
      const request = { parent, snapshotId, toScope: scopeMessage(to), requestId };
      const answer = await connection.unary(methods.forkAgentSnapshot, request, options);
      connection.seen(answer.revision);
      return { copiedCount: answer.copiedCount };
    },
  };
}

function toOf(to: { readonly snapshotId: string } | { readonly scope: AgentScope }) {
  if ('snapshotId' in to) return { $case: 'toSnapshotId', value: to.snapshotId } as const;
  const { agent, project = '', agentType = '' } = to.scope;
  return { $case: 'toScope', value: { namespace: '', project, agentType, agent, session: '' } } as const;
}

function snapshotOf(message: AgentSnapshotMessage | undefined): AgentSnapshot {
  if (message === undefined) throw incompleteAnswer('snapshot');
  const { id, scope, description, createTime, revision } = message;
  return {
    id,
    scope: scopeOfMessage(scope),
    description,
    createTime: createTime === undefined ? new PreciseDate(0) : dateOf(createTime),
    revision: Number(revision),
  };
}
