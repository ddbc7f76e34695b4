import type { Call } from '../../../../memory/call.ts';
import type { Scope } from '../../../../memory/memory.ts';
import type {
  AgentDiff,
  AgentDiffRead,
  AgentForked,
  AgentRestored,
  AgentSnapshot,
} from '../../../../storage/agent-snapshots.ts';
import { forgetForked } from '../../facts/forget-forked.ts';
import { factsRestored } from '../../facts/guard-facts.ts';
import { onceFor } from '../../memories/operation-deps.ts';
import { type LifecycleDeps, repeatableId } from './lifecycle-deps.ts';

interface SnapshotKey {
  readonly namespace: string;
  readonly id: string;
}

export function snapshotAgent(
  deps: LifecycleDeps,
  request: { namespace: string; id?: string; scope: Scope; description: string },
  call: Call,
): Promise<AgentSnapshot> {
  const id = request.id ?? repeatableId(deps, call.idempotency, 'snapshot');
  return deps.agents.take({ ...request, id, atUs: deps.clock.nowUs(), ...onceFor(call) });
}

/** Snapshots in the order of their ids, with the id after which the next page begins. */
export async function listAgentSnapshots(
  { agents }: LifecycleDeps,
  read: { namespace: string; limit: number; afterId?: string },
): Promise<{ snapshots: readonly AgentSnapshot[]; nextAfterId?: string }> {
  const found = await agents.list({ ...read, limit: read.limit + 1 });
  const snapshots = found.slice(0, read.limit);
  const last = snapshots.at(-1);
  return found.length > read.limit && last ? { snapshots, nextAfterId: last.id } : { snapshots };
}

export function deleteAgentSnapshot({ agents, clock }: LifecycleDeps, key: SnapshotKey, call: Call): Promise<void> {
  return agents.drop({ ...key, atUs: clock.nowUs(), ...onceFor(call) });
}

export function diffAgent({ agents, clock }: LifecycleDeps, read: Omit<AgentDiffRead, 'nowUs'>): Promise<AgentDiff> {
  return agents.diff({ ...read, nowUs: clock.nowUs() });
}

export async function restoreAgent(deps: LifecycleDeps, key: SnapshotKey, call: Call): Promise<AgentRestored> {
  const embedsLater = deps.embedder.kind !== 'none';
  const restored = await deps.agents.restore({ ...key, embedsLater, atUs: deps.clock.nowUs(), ...onceFor(call) });
  deps.onEmbeddingPending();
  await factsRestored(deps, key.namespace);
  return restored;
}

export async function forkAgent(
  deps: LifecycleDeps,
  { to, ...key }: SnapshotKey & { to: Scope },
  call: Call,
): Promise<AgentForked> {
  const embedsLater = deps.embedder.kind !== 'none';
  const forked = await deps.agents.fork({ ...key, to, embedsLater, atUs: deps.clock.nowUs(), ...onceFor(call) });
  deps.onEmbeddingPending();
  await factsRestored(deps, key.namespace);
  const from = await scopeOf(deps, key);
  if (from) await forgetForked(deps, key.namespace, { from, to }, call);
  return forked;
}

const PAGE = 1000;

/** The scope of a snapshot; `undefined` where it was deleted. */
async function scopeOf(deps: LifecycleDeps, { namespace, id }: SnapshotKey): Promise<Scope | undefined> {
  for (let afterId: string | undefined; ; ) {
    const read = { namespace, limit: PAGE, afterId };
    const { snapshots, nextAfterId } = await listAgentSnapshots(deps, read);
    const found = snapshots.find((snapshot) => snapshot.id === id);
    if (found || nextAfterId === undefined) return found?.scope;
    afterId = nextAfterId;
  }
}
