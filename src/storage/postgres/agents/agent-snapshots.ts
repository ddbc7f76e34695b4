import { sql } from '#kysely';
import { MnemeError } from '../../../memory/errors.ts';
import type { Micros, Scope } from '../../../memory/memory.ts';
import {
  type AgentDiff,
  type AgentForked,
  type AgentRestored,
  type AgentSnapshot,
  type AgentSnapshots,
  snapshotNotFound,
} from '../../agent-snapshots.ts';
import {
  type AgentStates,
  branchedMemories,
  branchOf,
  comparedScope,
  compareStates,
  snapshotExists,
} from '../../rules/agent-states.ts';
import { type FoundAgent, forkAgent, restoreAgent } from '../../rules/rewrite-agent.ts';
import type { PostgresAccess } from '../core.ts';
import { queries, type Session } from '../database.ts';
import type { NamespaceDraft } from '../loaded-namespace.ts';
import { readNamespace } from '../reads.ts';
import type { AgentSnapshotTable, NamespaceTable } from '../schema.ts';
import { BYTES_AROUND } from '../write-bytes.ts';
import { eraseUnshown } from './erased-memories.ts';
import { presentStates, statesOfSnapshot } from './snapshot-states.ts';

type Asked<K extends keyof AgentSnapshots> = Parameters<AgentSnapshots[K]>[0];

/** Rounds in which the memories of an agent may change between finding and locking them. */
const ROUNDS_MAX = 20;

/** Snapshots beside the records. A restored or forked agent is one write of its namespace. */
export class PostgresAgentSnapshots implements AgentSnapshots {
  private readonly access: PostgresAccess;

  constructor(access: PostgresAccess) {
    this.access = access;
  }

  take(write: Asked<'take'>): Promise<AgentSnapshot> {
    const { namespace, id, scope, description, atUs } = write;
    return this.access.submit(namespace, {
      ...alone(write),
      run: async ({ revision }, session, { row }) => {
        const { project, agentType: agent_type, agent } = scope;
        const values = { namespace_key: keyOf(row), id, project, agent_type, agent, description };
        const [made] = await session.run(
          queries
            .insertInto('agent_snapshot')
            .values({ ...values, created_at_us: atUs, revision })
            .onConflict((conflict) => conflict.columns(['namespace_key', 'id']).doNothing())
            .returningAll(),
        );
        if (!made) throw snapshotExists(id);
        await session.run(countSnapshots(keyOf(row)));
        return snapshotOf(made);
      },
    });
  }

  list({ namespace, limit, afterId = '' }: Asked<'list'>): Promise<AgentSnapshot[]> {
    return this.access.read(async (session) => {
      const { key } = await readNamespace(session, namespace);
      const rows = await session.run(snapshotsOf(key).where('id', '>', afterId).orderBy('id').limit(limit));
      return rows.map(snapshotOf);
    });
  }

  drop(write: Asked<'drop'>): Promise<void> {
    const { namespace, id } = write;
    return this.access.submit(namespace, {
      ...alone(write),
      run: async (_, session, { row }) => {
        const key = keyOf(row);
        await findSnapshot(session, key, id);
        await session.run(queries.deleteFrom('agent_snapshot').where('namespace_key', '=', key).where('id', '=', id));
        await eraseUnshown(session, key);
        await session.run(countSnapshots(key));
      },
    });
  }

  diff({ namespace, id, to, nowUs }: Asked<'diff'>): Promise<AgentDiff> {
    return this.access.snapshot(async (session) => {
      const row = await readNamespace(session, namespace);
      const snapshot = await findSnapshot(session, row.key, id);
      const before = await statesOfSnapshot(session, row, snapshot, nowUs);
      const scope = comparedScope(snapshot, to);
      const other = to && 'snapshot' in to ? await findSnapshot(session, row.key, to.snapshot) : snapshot;
      const after = scope
        ? await presentStates(session, row, scope, nowUs)
        : await statesOfSnapshot(session, row, other, nowUs);
      return compareStates(before, after, branchOf(snapshot, to));
    });
  }

  restore(write: Asked<'restore'>): Promise<AgentRestored> {
    const { atUs } = write;
    return this.rewrite(write, {
      idsOf: ({ former, present }) => [...former.keys(), ...present.keys()],
      presentOf: (session, row, { scope }) => presentStates(session, row, scope, atUs),
      run: (draft, states) => restoreAgent(draft, states, write),
    });
  }

  fork(write: Asked<'fork'>): Promise<AgentForked> {
    const { to, embedsLater, atUs } = write;
    const copiesOf = ({ snapshot, former }: FoundAgent, model: string) =>
      branchedMemories(snapshot, former, to, { embedsLater, model, atUs });
    return this.rewrite(write, {
      idsOf: (found) => copiesOf(found, '').map(({ id }) => id),
      presentOf: async () => new Map(),
      run: (draft, found) => forkAgent(draft, copiesOf(found, draft.namespace.embeddingModel), write),
    });
  }

  /** Finds the memories first, as a write names those that it concerns; then again under the lock. */
  private async rewrite<O>(write: Asked<'drop'>, { idsOf, presentOf, run }: Rewrite<O>): Promise<O> {
    const { namespace, id, atUs } = write;
    const find = async (session: Session, row: NamespaceTable): Promise<FoundAgent> => {
      const snapshot = await findSnapshot(session, row.key, id);
      const former = await statesOfSnapshot(session, row, snapshot, atUs);
      return { snapshot, former, present: await presentOf(session, row, snapshot) };
    };
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const ids = await this.idsFound(namespace, async (session, row) => idsOf(await find(session, row)));
      const known = new Set(ids);
      try {
        return await this.access.submit(namespace, {
          ...alone(write),
          ids: [...known],
          run: async (draft, session, { row }) => {
            const found = await find(session, rowIn(row));
            const all = idsOf(found);
            if (all.some((one) => !known.has(one))) throw new MemoriesChanged();
            return run(draft, found);
          },
        });
      } catch (error) {
        if (!(error instanceof MemoriesChanged)) throw error;
      }
    }
    throw new MnemeError('OVERLOADED', 'memories of the agent change faster than they can be restored');
  }

  /** None where the namespace or the snapshot is missing: the write says so, unless it is repeated. */
  private async idsFound(
    namespace: string,
    find: (session: Session, row: NamespaceTable) => Promise<readonly string[]>,
  ): Promise<readonly string[]> {
    try {
      return await this.access.snapshot(async (session) => find(session, await readNamespace(session, namespace)));
    } catch (error) {
      if (error instanceof MnemeError && MISSING.has(error.reason)) return [];
      throw error;
    }
  }
}

const MISSING: ReadonlySet<string> = new Set(['NAMESPACE_NOT_FOUND', 'SNAPSHOT_NOT_FOUND']);

class MemoriesChanged extends Error {}

interface Rewrite<O> {
  /** Ids of all memories that the write concerns. */
  readonly idsOf: (found: FoundAgent) => readonly string[];
  readonly presentOf: (session: Session, row: NamespaceTable, snapshot: AgentSnapshot) => Promise<AgentStates>;
  readonly run: (draft: NamespaceDraft, found: FoundAgent) => O;
}

function snapshotsOf(key: number) {
  return queries.selectFrom('agent_snapshot').selectAll().where('namespace_key', '=', key);
}

/** Fails with SNAPSHOT_NOT_FOUND. */
async function findSnapshot(session: Session, key: number, id: string): Promise<AgentSnapshot> {
  const [row] = await session.run(snapshotsOf(key).where('id', '=', id));
  if (!row) throw snapshotNotFound(id);
  return snapshotOf(row);
}

function countSnapshots(key: number) {
  return sql`UPDATE namespace SET snapshot_count = (SELECT count(*) FROM agent_snapshot WHERE namespace_key = ${key})
    WHERE key = ${key}`;
}

export function snapshotOf(row: AgentSnapshotTable): AgentSnapshot {
  const { id, project, agent_type: agentType, agent, description, created_at_us: createdAtUs, revision } = row;
  const scope: Scope = { project, agentType, agent, session: '' };
  return { id, scope, description, createdAtUs, revision };
}

function rowIn(row: NamespaceTable | undefined): NamespaceTable {
  if (!row) throw new Error('the namespace was checked to be there');
  return row;
}

function keyOf(row: NamespaceTable | undefined): number {
  return rowIn(row).key;
}

function alone({ atUs, idempotency }: { readonly atUs: Micros } & Pick<Asked<'drop'>, 'idempotency'>) {
  return { ids: [], atUs, idempotency, bytes: BYTES_AROUND, isAlone: true };
}
