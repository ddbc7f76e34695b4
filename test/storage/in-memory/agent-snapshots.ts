import { isDeepStrictEqual } from 'node:util';
import { branchId } from '../../../src/memory/derived-id.ts';
import { invalidFields } from '../../../src/memory/errors.ts';
import type { Memory, Micros, Scope } from '../../../src/memory/memory.ts';
import { isWithin } from '../../../src/memory/scope.ts';
import {
  type AgentDiff,
  type AgentForked,
  type AgentRestored,
  type AgentSnapshot,
  type AgentSnapshots,
  snapshotNotFound,
} from '../../../src/storage/agent-snapshots.ts';
import { hasEqualFields } from '../../../src/storage/changed-memory.ts';
import type { ListPosition, NewMemory, Records } from '../../../src/storage/records.ts';
import { checkAgentCount, snapshotExists } from '../../../src/storage/rules/agent-states.ts';
import type { View } from '../../../src/storage/view.ts';
import { Outcomes } from './all-namespaces.ts';

type Asked<K extends keyof AgentSnapshots> = Parameters<AgentSnapshots[K]>[0];
type Write = Pick<Asked<'drop'>, 'namespace' | 'atUs' | 'idempotency'>;

interface Kept {
  readonly snapshot: AgentSnapshot;
  readonly states: States;
}

const PAGE = 500;
const RETENTION_US = 24 * 60 * 60 * 1_000_000;

/** Snapshots as complete copies: the reference for the durable implementations, which copy on write. */
export class InMemoryAgentSnapshots implements AgentSnapshots {
  private readonly store: Records & View;
  private readonly outcomes = new Outcomes(RETENTION_US);
  private readonly namespaces = new Map<string, Map<string, Kept>>();

  constructor(store: Records & View) {
    this.store = store;
  }

  take(write: Asked<'take'>): Promise<AgentSnapshot> {
    const { namespace, id, scope, description, atUs } = write;
    return this.once(write, async (kept) => {
      if (kept.has(id)) throw snapshotExists(id);
      const snapshot = { id, scope, description, createdAtUs: atUs, revision: this.store.revision };
      kept.set(id, { snapshot, states: await this.present(namespace, scope, atUs) });
      return snapshot;
    });
  }
  async list({ namespace, limit, afterId = '' }: Asked<'list'>): Promise<AgentSnapshot[]> {
    const all = [...(await this.keptOf(namespace)).values()].map(({ snapshot }) => snapshot);
    const inOrder = all.sort((one, other) => (one.id < other.id ? -1 : 1));
    return inOrder.filter(({ id }) => id > afterId).slice(0, limit);
  }
  drop(write: Asked<'drop'>): Promise<void> {
    return this.once(write, async (kept) => {
      find(kept, write.id);
      kept.delete(write.id);
    });
  }
  async diff({ namespace, id, to, nowUs }: Asked<'diff'>): Promise<AgentDiff> {
    const kept = await this.keptOf(namespace);
    const { snapshot, states } = find(kept, id);
    const scope = to && 'scope' in to ? to.scope : snapshot.scope;
    const after =
      to && 'snapshot' in to
        ? alive(find(kept, to.snapshot).states, nowUs)
        : await this.present(namespace, scope, nowUs);
    const branch = scope.agent === snapshot.scope.agent ? undefined : scope.agent;
    return compared(alive(states, nowUs), after, branch);
  }
  restore(write: Asked<'restore'>): Promise<AgentRestored> {
    const { namespace, id, atUs, embedsLater } = write;
    return this.once(write, async (kept) => {
      const { snapshot, states } = find(kept, id);
      const former = alive(states, atUs);
      const present = await this.present(namespace, snapshot.scope, atUs);
      const ids = [...present.keys()].filter((one) => !former.has(one));
      await this.store.write({ kind: 'delete', namespace, ids, cause: 'deleted', mustExist: false, atUs });
      const restored = new Set<string>();
      for (const memory of former.values()) {
        if (memory.embedding || !present.get(memory.id)?.embedding) continue;
        const changes = { embedding: null, embeddingPending: false };
        await this.store.write({ kind: 'update', namespace, id: memory.id, changes, atUs });
        restored.add(memory.id);
      }
      const memories = [...former.values()].map((memory) => renewed(memory, embedsLater, atUs));
      const stored = await this.store.write({
        kind: 'store',
        namespace,
        memories,
        createNamespace: false,
        onConflict: 'replace',
        atUs,
      });
      for (const { id: one, written } of stored.memories) if (written) restored.add(one);
      return { restoredCount: restored.size, erasedCount: ids.length, revision: this.store.revision };
    });
  }
  fork(write: Asked<'fork'>): Promise<AgentForked> {
    const { namespace, id, to, atUs, embedsLater } = write;
    return this.once(write, async (kept) => {
      const { snapshot, states } = find(kept, id);
      if (to.agent === snapshot.scope.agent) {
        throw invalidFields([
          { field: 'to_scope.agent', description: 'must be another agent than the snapshot is of' },
        ]);
      }
      const former = alive(states, atUs);
      const memories = [...former.values()].map((memory) => branched(memory, { former, to, embedsLater, atUs }));
      const stored = await this.store.write({
        kind: 'store',
        namespace,
        memories,
        createNamespace: false,
        onConflict: 'keep',
        atUs,
      });
      return {
        copiedCount: stored.memories.filter(({ written }) => written).length,
        revision: this.store.revision,
      };
    });
  }

  private async once<O>(
    { namespace, atUs, idempotency }: Write,
    run: (kept: Map<string, Kept>) => Promise<O>,
  ): Promise<O> {
    const kept = await this.keptOf(namespace);
    const done = idempotency && this.outcomes.find(namespace, idempotency, atUs);
    if (done) return done.outcome as O;
    const outcome = await run(kept);
    if (idempotency) this.outcomes.keep(namespace, idempotency, outcome, atUs);
    return outcome;
  }

  private async keptOf(namespace: string): Promise<Map<string, Kept>> {
    const { name, createdAtUs } = await this.store.getNamespace(namespace);
    const life = `${name}@${createdAtUs}`;
    const kept = this.namespaces.get(life) ?? new Map<string, Kept>();
    this.namespaces.set(life, kept);
    return kept;
  }

  private async present(namespace: string, scope: Scope, nowUs: Micros): Promise<States> {
    const states = new Map<string, Memory>();
    const read = {
      namespace,
      order: 'create_time_asc',
      limit: PAGE,
      bytesMax: Number.MAX_SAFE_INTEGER,
      view: 'full',
    } as const;
    for (let after: ListPosition | undefined; ; ) {
      const page = await this.store.list({ ...read, nowUs, after });
      for (const memory of page.memories) if (isWithin(memory.scope, scope)) states.set(memory.id, memory);
      after = page.next;
      if (!after) return states;
    }
  }
}

function find(kept: ReadonlyMap<string, Kept>, id: string): Kept {
  const found = kept.get(id);
  if (!found) throw snapshotNotFound(id);
  return found;
}

function alive(states: States, nowUs: Micros): States {
  checkAgentCount(states.size);
  return new Map([...states].filter(([, { expiresAtUs }]) => expiresAtUs === undefined || expiresAtUs > nowUs));
}

function renewed(memory: Memory, embedsLater: boolean, atUs: Micros): NewMemory {
  const { namespace: _, revision: __, ...fields } = memory;
  return { ...fields, updatedAtUs: atUs, embeddingPending: !memory.embedding && embedsLater && memory.text !== '' };
}

function branched(
  memory: Memory,
  { former, to, embedsLater, atUs }: { former: States; to: Scope; embedsLater: boolean; atUs: Micros },
): NewMemory {
  const { supersededBy, scope } = memory;
  return {
    ...renewed(memory, embedsLater, atUs),
    id: branchId(memory.id, to.agent),
    ...(supersededBy && former.has(supersededBy) ? { supersededBy: branchId(supersededBy, to.agent) } : {}),
    scope: {
      project: to.project || scope.project,
      agentType: to.agentType || scope.agentType,
      agent: to.agent,
      session: scope.session,
    },
  };
}

/** Memories of an agent by id. */
type States = ReadonlyMap<string, Memory>;

/** The differences; with `branch`, to the copies of the agent of that name. */
function compared(before: States, after: States, branch: string | undefined): AgentDiff {
  const idThere = (id: string) => (branch === undefined ? id : branchId(id, branch));
  const paired = new Set([...before.keys()].map(idThere));
  const isOther = (memory: Memory, other: Memory) => {
    const link = branch === undefined ? other.supersededBy : memory.supersededBy;
    const { embedding, supersededBy: _, ...rest } = other;
    const same = { ...rest, ...(link === undefined ? {} : { supersededBy: link }), embeddingPending: false };
    const isEqual = hasEqualFields(memory, branch === undefined ? same : { ...same, scope: memory.scope });
    return !isEqual || (branch === undefined && !isDeepStrictEqual(memory.embedding, embedding));
  };
  const common = [...before.values()].filter(({ id }) => after.has(idThere(id)));
  return {
    added: [...after.keys()].filter((id) => !paired.has(id)),
    removed: [...before.keys()].filter((id) => !after.has(idThere(id))),
    changed: common.filter((memory) => isOther(memory, after.get(idThere(memory.id)) as Memory)).map(({ id }) => id),
  };
}
