import { PostgresAgentSnapshots } from '../../src/storage/postgres/agents/agent-snapshots.ts';
import { NOW_US, put, SPACE } from '../storage/conformance/memory-store/store-of-test.ts';
import { newMemory } from '../support/new-memory.ts';
import type { ViewedStoreOfTest } from '../support/viewed-store.ts';

const ADA = { project: '', agentType: '', agent: 'ada', session: '' };
const once = (requestId: string) => ({ idempotency: { requestId, fingerprint: requestId } });
const at = { namespace: SPACE, atUs: NOW_US };
const embedding = { model: 'm', values: Float32Array.of(1, 2) };

/** Subscriptions need the view, the other parts do not. */
export type OpenedForParts = Pick<ViewedStoreOfTest, 'records'> & Partial<Pick<ViewedStoreOfTest, 'subscriptions'>>;

/** What a server owns besides memories: each part may be repeated, and then has one effect. */
const PARTS = {
  subscription: async ({ subscriptions }: OpenedForParts) => {
    if (!subscriptions) throw new Error('subscriptions are opened with a view');
    const fields = { ...at, id: 's', mode: 'work_queue', ackDeadlineMs: 1000, consumerTtlMs: 1000 } as const;
    const { subscription } = await subscriptions.createSubscription({ ...fields, ...once('create') });
    const { key: subscriptionKey } = subscription;
    await subscriptions.claims.claim({ subscriptionKey, origins: [101, 102], nowMs: 0, untilMs: 3_600_000 });
    const acknowledgedRevision = subscription.startRevision;
    const move = { subscriptionKey, consumer: '', acknowledgedRevision, done: [101] };
    await subscriptions.moveCursors({ cursors: [move], atUs: NOW_US });
  },
  restore: async ({ records }: OpenedForParts) => {
    await agentsOf(records).restore({ ...at, id: 'one', embedsLater: false, ...once('restore') });
  },
  drop: async ({ records }: OpenedForParts) => {
    await agentsOf(records).drop({ ...at, id: 'one', ...once('drop') });
  },
  reembedding: async ({ records: { reembeddings } }: OpenedForParts) => {
    const work = { ...at, model: 'new' };
    await reembeddings.beginReembedding({ ...work, dimension: 1 });
    const texts = await reembeddings.reembeddingBatch({ namespace: SPACE, limit: 100 });
    const vectors = texts.map(({ key, checksum }) => ({ key, checksum, values: Float32Array.of(key) }));
    await reembeddings.setReembedded({ ...work, vectors });
    await reembeddings.finishReembedding(work);
  },
  trim: async ({ records }: OpenedForParts) => {
    await records.trimLogs({ countMax: 0, bytesMax: 0, ageMaxMs: 1e14 }, new AbortController().signal);
  },
};

export type PartName = keyof typeof PARTS;
export const PART_NAMES = Object.keys(PARTS) as PartName[];

export function carryOutPart(opened: OpenedForParts, part: PartName): Promise<void> {
  return PARTS[part](opened);
}

const agentsOf = ({ access }: ViewedStoreOfTest['records']) => new PostgresAgentSnapshots(access);

/** The state before each part: a snapshot of an agent, who has lived on. */
export async function prepareParts({ store, records }: ViewedStoreOfTest): Promise<void> {
  const memories = ['kept', 'changed', 'erased'].map((id) => newMemory({ id, scope: ADA, embedding }));
  await put(store, memories);
  await agentsOf(records).take({ ...at, id: 'one', scope: ADA, description: '' });
  const changes = { importance: 0.9, embedding: { model: 'm', values: Float32Array.of(3, 4) } };
  await store.write({ kind: 'update', ...at, id: 'changed', changes });
  await store.write({ kind: 'delete', ...at, ids: ['erased'], cause: 'deleted', mustExist: true });
  await put(store, [newMemory({ id: 'later', scope: ADA })]);
}

/** All that the parts change, as text. */
export async function stateOfParts({ records, subscriptions }: ViewedStoreOfTest): Promise<string> {
  const agents = agentsOf(records);
  const read = { namespace: SPACE, ids: ['kept', 'changed', 'erased', 'later'], view: 'full', nowUs: NOW_US } as const;
  const memories = await records.get(read);
  const snapshots = await agents.list({ namespace: SPACE, limit: 10 });
  const diffs = await Promise.all(snapshots.map(({ id }) => agents.diff({ namespace: SPACE, id, nowUs: NOW_US })));
  const all = await subscriptions.listSubscriptions(SPACE);
  const cursors = await Promise.all(
    all.map(async ({ key, id, cursors: kept }) => [
      id,
      kept.map(({ consumer }) => consumer),
      [...(await subscriptions.leases.doneOf(key, [101, 102]))],
    ]),
  );
  const { cut = 0 } = await records.changes({ namespace: SPACE });
  const texts = memories.map((one) => one && [one.id, one.importance, [...(one.embedding?.values ?? [])]]);
  const { embeddingModel } = await records.getNamespace(SPACE);
  return JSON.stringify({
    texts,
    embeddingModel,
    snapshots: snapshots.map(({ id }) => id),
    diffs,
    cursors,
    isCut: cut > 0,
  });
}
