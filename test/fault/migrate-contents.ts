import { Content, type Mneme } from '../../clients/typescript/src/index.ts';
import { folderContents, vectorOf } from './folder-contents.ts';

const TEXTS = ['Nina works as a nurse in Bergen', 'The market opens at seven', 'A letter from the bank has come'];
const START_MS = Date.parse('2026-11-01T08:00:00Z');
const ADA = { project: 'p', agentType: 'x', agent: 'ada' };
const embedding = (n: number) => ({ model: 'fixture', values: vectorOf(n) });

/** Stores something of every kind through the API. */
export async function fillFolder(mneme: Mneme): Promise<void> {
  const [vectors, texts] = [mneme.withNamespace('vectors'), mneme.withNamespace('texts')];
  await mneme.namespaces.create('empty', {
    description: 'nothing in it',
    memoryLimit: 7,
    settings: { 'short_term.memory_limit': 5 },
  });
  await storeVectors(vectors);
  await storeTexts(texts);
  await liveAgents(vectors);
  await texts.subscriptions.create('feed', { filter: 'type = "state"', includeMoved: true });
  await texts.subscriptions.create('jobs', { mode: 'work_queue', ackDeadlineMs: 2000 });
  await texts.store({ id: 'read', type: 'state', text: 'a change that is acknowledged' });
  await texts.store({ id: 'unread', type: 'state', text: 'a change that is not' });
  await acknowledgeFirst(texts);
  await liveSessions(texts);
  await texts.scopes.setPolicy({ project: 'secret' }, { isPrivate: true });
  await texts.scopes.setPolicy({ project: 'old', agent: 'bob' }, { readOnly: true, isolated: true });
}

async function storeVectors(mneme: Mneme): Promise<void> {
  await mneme.batchStore(
    Array.from({ length: 12 }, (_, n) => ({
      id: `v${n}`,
      text: TEXTS[n % TEXTS.length] ?? '',
      embedding: embedding(n),
      eventTime: new Date(START_MS + n * 3_600_000),
      step: n,
      importance: (n % 5) / 5,
      tags: n % 2 ? ['odd'] : ['even', 'kept'],
      scope: { ...ADA, agent: n % 3 ? 'ada' : 'bob', session: `s${n % 2}` },
      source: { speaker: n % 2 ? 'Nina' : 'Tom', uri: `turn:${n}` },
    })),
  );
  await mneme.delete('v11');
  await mneme.update('v5', { text: 'The market opens at eight', importance: 0.9 });
  await mneme.update('v5', { text: 'The market opens at nine', embedding: embedding(30) });
  await mneme.supersede('v6', { id: 'v6-now', text: 'Paul has a new bicycle', embedding: embedding(20) });
  await mneme.demote(['v1', 'v2'], { toTier: 'long_term' });
  await mneme.demote(['v3'], { toTier: 'intermediate' });
}

async function storeTexts(mneme: Mneme): Promise<void> {
  const long = Array.from({ length: 60 }, (_, n) => `Paragraph ${n} is about ${n * 7}.`);
  await mneme.batchStore([
    { id: 'state-1', type: 'state', content: { position: [100, 100], health: 0.8, room: 'hall' }, step: 1 },
    { id: 'state-2', type: 'state', content: { position: [101, 99], health: 0.7, room: 'attic' }, step: 2 },
    { id: 'bytes', text: 'a picture', content: new Content('image/png', Uint8Array.of(137, 80, 0, 1, 255)) },
    { id: 'long', text: [...long, 'The password of the boat house is herring.'].join(' ') },
    { id: 'placed', text: 'Lunch at the fish market', place: { geo: { latitudeDeg: 60.39, longitudeDeg: 5.32 } } },
    { id: 'unicode', text: '東京の天気は晴れです', validUntil: new Date(START_MS + 1e12) },
    { id: 'expires', text: 'for a while', expireTime: new Date(Date.now() + 86_400_000) },
  ]);
  await mneme.demote(['long', 'state-2'], { toTier: 'long_term' });
  await mneme.conversations.append('talk', [
    { role: 'user', text: 'My cat is named Mimi' },
    { role: 'assistant', text: 'Mimi is a good name' },
  ]);
  await mneme.facts.assertFact({ subject: 'user', attribute: 'home_city', value: 'Bergen' });
  await mneme.facts.assertFact({ subject: 'user', attribute: 'home_city', value: 'Oslo' });
  await mneme.store({ id: 'once', text: 'stored by a request' }, { requestId: 'request-1' });
}

/** Snapshots of an agent whose memories were then changed, deleted, and stored anew. */
async function liveAgents(mneme: Mneme): Promise<void> {
  await mneme.agents.createSnapshot(ADA, { snapshotId: 'first', description: 'before' });
  await mneme.update('v4', { text: 'The market has closed', embedding: embedding(40) });
  await mneme.agents.createSnapshot(ADA, { snapshotId: 'second' });
  await mneme.delete('v4');
  await mneme.delete('v7');
  await mneme.store({ id: 'v7', text: 'another memory of the id', scope: ADA, embedding: embedding(70) });
}

async function acknowledgeFirst(mneme: Mneme): Promise<void> {
  for (const id of ['feed', 'jobs']) {
    const deliveries = mneme.subscriptions.consume(id, 'ann');
    for await (const delivery of deliveries) {
      delivery.acknowledge();
      break;
    }
  }
}

async function liveSessions(mneme: Mneme): Promise<void> {
  const session = mneme.session('s');
  await session.set('goal', { done: false });
  await mneme
    .session('bytes')
    .set('blob', new Content('application/octet-stream', Uint8Array.of(0, 1, 2)), { expiry: { ttlMs: 86_400_000 } });
  await session.appendScratchpad(['one', 'two']);
  await session.createCheckpoint({ checkpointId: 'before', description: 'start' });
  await session.set('goal', { done: true });
  await mneme.lifecycle.spawn({ sessionId: 'life', scope: ADA, initialValues: { plan: 'go' }, metadata: { n: 'one' } });
  await mneme.lifecycle.pause('life', { checkpointId: 'night' });
  await mneme.lifecycle.spawn({ sessionId: 'over', scope: ADA });
  await mneme.lifecycle.terminate('over', { outcome: 'success' });
  for await (const event of mneme.lifecycle.watchEvents({ start: 'oldest' })) {
    await mneme.lifecycle.acknowledgeEvents('follower', event);
    break;
  }
}

/** What a client reads of it, as JSON. */
export async function readFolder(mneme: Mneme): Promise<unknown> {
  const [vectors, texts] = [mneme.withNamespace('vectors'), mneme.withNamespace('texts')];
  const ids = ['v5', 'v6', 'v7', 'v1'];
  return JSON.parse(
    JSON.stringify({
      folder: await folderContents(mneme),
      namespaces: await collect(mneme.namespaces.list()),
      revisions: await Promise.all(ids.map((id) => collect(vectors.listRevisions(id)))),
      once: await texts.store({ id: 'once', text: 'stored by a request' }, { requestId: 'request-1' }),
      policies: await texts.scopes.listPolicies(),
      snapshots: await collect(vectors.agents.listSnapshots()),
      diffs: [
        await vectors.agents.diffSnapshots('first'),
        await vectors.agents.diffSnapshots('second'),
        await vectors.agents.diffSnapshots('first', { snapshotId: 'second' }),
      ],
      subscriptions: (await texts.subscriptions.list()).map(({ cursors, ...rest }) => ({
        ...rest,
        consumers: cursors.map(({ consumer }) => consumer),
      })),
      lives: (await collect(texts.lifecycle.list())).map(({ activeDurationMs: _, ...life }) => life),
      checkpoints: await collect(texts.lifecycle.listCheckpoints('life')),
      values: (await collect(texts.session('bytes').getAll())).map(({ key, version, value }) => [key, version, value]),
      events: await firstEvents(texts, 4),
      counts: await Promise.all([vectors.count(), texts.count()].map(async (count) => (await count).tiers)),
    }),
  );
}

/** The changes that a consumer gets next. */
export async function nextDelivered(mneme: Mneme, id: string): Promise<string> {
  for await (const change of mneme.withNamespace('texts').subscriptions.consume(id, 'ann'))
    return JSON.stringify(change);
  return '';
}

async function firstEvents(mneme: Mneme, count: number): Promise<unknown[]> {
  const events: unknown[] = [];
  for await (const { resumeToken: _, ...event } of mneme.lifecycle.watchEvents({ start: 'oldest' })) {
    events.push(event);
    if (events.length === count) break;
  }
  return events;
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
