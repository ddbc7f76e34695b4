import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Tier } from '../../../../src/memory/memory.ts';
import { type MaintainRequest, maintain } from '../../../../src/server/operations/tiers/maintain-namespaces.ts';
import type { MembersRead } from '../../../../src/storage/tiers.ts';
import type { View } from '../../../../src/storage/view.ts';
import { withMethods } from '../../../../src/storage/with-methods.ts';
import { InMemoryMemoryStore } from '../../../storage/in-memory/memory-store.ts';
import { newMemory } from '../../../support/new-memory.ts';
import { seededRandom } from '../../../support/random.ts';
import { call } from '../support.ts';

const SPACE = 'space';
const HOUR_US = 3_600_000_000;

let store: InMemoryMemoryStore;
let nowUs: number;
let rowsRead: number;
beforeEach(() => {
  store = new InMemoryMemoryStore();
  nowUs = 1_800_000_000_000_000;
  rowsRead = 0;
});
afterEach(() => store.close());

/** The view, counting the members that are read. */
function counted(): View {
  const members = async (read: MembersRead) => {
    const found = await store.members(read);
    rowsRead += found.length;
    return found;
  };
  return withMethods<View>(store, { members });
}

const deps = () => ({ store, view: counted(), clock: { nowUs: () => nowUs } });

async function moves(request: Partial<MaintainRequest> = {}): Promise<string[]> {
  const received: string[] = [];
  const order = { namespace: SPACE, dryRun: false, flush: false, anyType: false, ...request };
  for await (const step of maintain(deps(), order, call)) {
    for (const { member, to, reason } of step.moves) received.push(`${member.id} ${to} ${reason}`);
  }
  return received;
}

const put = (memories: Parameters<typeof newMemory>[0][]) =>
  store.write({
    kind: 'store',
    namespace: SPACE,
    createNamespace: true,
    onConflict: 'fail',
    atUs: nowUs,
    memories: memories.map((memory) => newMemory({ createdAtUs: nowUs, ...memory })),
  });
const set = (settings: Readonly<Record<string, string>>) =>
  store.write({ kind: 'setTierSettings', namespace: SPACE, settings: Object.entries(settings), atUs: nowUs });
const ids = (count: number) => Array.from({ length: count }, (_, at) => ({ id: `m${String(at).padStart(5, '0')}` }));

async function tierCounts(): Promise<Partial<Record<Tier, number>>> {
  return Object.fromEntries(await store.count({ namespace: SPACE, nowUs }));
}

describe('maintain', () => {
  it('with work of higher priority › maintenance waits for it before each batch', async () => {
    await put(ids(130));
    const movedBefore: number[] = [];
    const othersFirst = async () => {
      const { short_term = 0 } = await tierCounts();
      movedBefore.push(130 - short_term);
    };
    const order = { namespace: SPACE, dryRun: false, flush: true, anyType: false };
    const received: string[] = [];
    for await (const step of maintain({ ...deps(), othersFirst }, order, call)) {
      received.push(...step.moves.filter(({ member }) => member.tier === 'short_term').map(({ member }) => member.id));
      if (received.length === 130) break;
    }
    expect(movedBefore[0]).toBe(0);
    expect(movedBefore.length).toBeGreaterThan(1);
    expect(movedBefore.every((count) => count < 130)).toBe(true);
  });

  it('among the oldest members of a tier over its limit › the least important move first', async () => {
    await put([
      { id: 'dear', importance: 0.9, priority: 1 },
      { id: 'dull', importance: 0.1, priority: 0.1 },
      { id: 'plain' },
    ]);
    await set({ 'short_term.memory_limit': '2' });
    nowUs += HOUR_US / 2;
    expect(await moves()).toEqual(['dull intermediate memory_limit']);
  });

  it('rewarded content, frequent retrievals › stay longer', async () => {
    const data = Buffer.from('{"reward":10}');
    await put([
      { id: 'rewarded', content: { mediaType: 'application/json', data } },
      { id: 'asked', retrievalCount: 5 },
      { id: 'neither' },
    ]);
    await set({ 'short_term.memory_limit': '2' });
    nowUs += HOUR_US / 2;
    expect(await moves()).toEqual(['neither intermediate memory_limit']);
  });

  it('many unconditional moves › at most 500 in one step', async () => {
    await put(ids(1100));
    const counts: number[] = [];
    const order = { namespace: SPACE, dryRun: true, flush: true, anyType: false };
    for await (const step of maintain(deps(), order, call)) counts.push(step.moves.length);
    expect(counts).toEqual([500, 500, 100, 500, 500, 100]);
  });

  it('when nothing is due › reads no memory, however many there are', async () => {
    await put(ids(3000));
    nowUs += HOUR_US / 2;
    expect(await moves()).toEqual([]);
    expect(rowsRead).toBe(0);
  });

  it('when a few are over the limit › reads only the oldest members of the tier', async () => {
    await put(ids(5000));
    await set({ 'short_term.memory_limit': '4990', 'short_term.ttl': 'none' });
    nowUs += HOUR_US / 2;
    expect(await moves()).toHaveLength(10);
    expect(rowsRead).toBeLessThanOrEqual(1000);
  });

  it('interrupted › moved memories stay moved', async () => {
    await put(ids(450));
    await set({ 'short_term.memory_limit': '50' });
    const stop = new AbortController();
    const order = { namespace: SPACE, dryRun: false, flush: false, anyType: false };
    const steps = maintain(deps(), order, { signal: stop.signal });
    await steps.next();
    stop.abort();
    await expect(steps.next()).rejects.toMatchObject({ reason: 'CANCELLED' });
    expect(await tierCounts()).toEqual({ short_term: 200, intermediate: 250 });
  });

  it('with any settings › a dry run predicts the moves, limits hold, nothing is lost', async () => {
    const random = seededRandom('maintain');
    const memories = Array.from({ length: 400 }, (_, at) => ({
      id: `m${at}`,
      type: random.pick(['state', 'action', 'fact']),
      importance: random.next(),
      retrievalCount: random.int(6),
      text: 'word '.repeat(1 + random.int(20)),
    }));
    for (const memory of memories) {
      nowUs += random.int(60_000_000);
      await put([memory]);
    }
    const limits = { short: 20 + random.int(200), middle: random.int(100) };
    await set({
      'short_term.memory_limit': String(limits.short),
      'intermediate.memory_limit': String(limits.middle + 1),
      'short_term.ttl': random.pick(['1h', 'none', '3h']),
      'intermediate.ttl': random.pick(['1h', 'none']),
      'type.state.short_term.memory_limit': String(random.int(40)),
      'long_term.types': random.pick(['none', 'action,fact']),
    });
    const planned = await moves({ dryRun: true });
    const done = await moves();
    expect([random.seed, done]).toEqual([random.seed, planned]);
    expect([random.seed, await moves()]).toEqual([random.seed, []]);
    const counts = await tierCounts();
    expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(memories.length);
    expect(counts.short_term ?? 0).toBeLessThanOrEqual(limits.short);
  });

  it('importance that decays by steps › the memories of an early step go first, each agent by its own steps', async () => {
    const scope = (agent: string) => ({ project: '', agentType: '', agent, session: '' });
    await put([
      { id: 'far', step: 900, scope: scope('far'), importance: 0.9 },
      { id: 'late', step: 100, scope: scope('near'), importance: 0.9 },
      { id: 'early', step: 1, scope: scope('near'), importance: 0.9 },
      { id: 'none', scope: scope('near'), importance: 0.9 },
    ]);
    nowUs += HOUR_US / 2;
    const decay = { 'importance.decay_factor': '0.5', 'importance.decay_interval': '50 steps' };
    await set({ 'short_term.memory_limit': '3', ...decay });

    expect(await moves()).toEqual(['early intermediate memory_limit']);
  });
});
