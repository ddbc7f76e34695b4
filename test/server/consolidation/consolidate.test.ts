import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { messageMemory } from '../../../src/memory/conversation.ts';
import type { Memory, MemoryDraft } from '../../../src/memory/memory.ts';
import { WHOLE_NAMESPACE } from '../../../src/memory/scope.ts';
import { type ConsolidateRequest, consolidate } from '../../../src/server/operations/consolidation/consolidate.ts';
import { undoConsolidation } from '../../../src/server/operations/consolidation/undo-consolidation.ts';
import { storeWriteOf } from '../../../src/server/operations/memories/store-memories.ts';
import { VisibilityRules } from '../../../src/server/operations/visibility/visibility.ts';
import type { Change } from '../../../src/storage/records.ts';
import { withMethods } from '../../../src/storage/with-methods.ts';
import { BACKENDS, DAY_US, FactBench, SPACE } from '../facts/support.ts';
import { call } from '../operations/support.ts';

const CONVERSATION = 'talk-1';

describe.each(BACKENDS)('consolidation (%s)', (backend) => {
  let bench: FactBench;
  beforeEach(async () => {
    bench = await FactBench.open(backend);
  });
  afterEach(() => bench.close());

  async function store(...memories: MemoryDraft[]): Promise<void> {
    const request = { namespace: SPACE, memories, onConflict: 'fail' } as const;
    await bench.deps.store.write({ kind: 'store', ...(await storeWriteOf(bench.deps, request, call)) });
  }
  async function storeSome(): Promise<void> {
    await store(
      note('a', 'The user likes tea.'),
      note('b', 'the user likes tea'),
      note('c', 'The user likes tea', { tags: ['drinks'] }),
      note('d', 'The user likes tea', { source: { speaker: 'assistant', uri: '', origin: '' } }),
      ...Array.from({ length: 8 }, (_, at) => message(at, `The release train leaves on day ${at}.`)),
      message(8, 'The user likes tea.'),
    );
    bench.clock.us += 2 * DAY_US;
  }
  const run = (changes: Partial<ConsolidateRequest> = {}) =>
    consolidate(
      bench.deps,
      { namespace: SPACE, scope: WHOLE_NAMESPACE, idleUs: DAY_US, stepsMax: 200, dryRun: false, ...changes },
      call,
    );
  async function all(): Promise<Memory[]> {
    const { memories } = await bench.deps.view.list({
      ...{ namespace: SPACE, order: 'create_time_asc', limit: 1000, bytesMax: 1e9, view: 'full' },
      nowUs: bench.clock.us,
    });
    return memories.filter(({ type }) => type !== 'consolidation');
  }
  const byId = async () => new Map((await all()).map((memory) => [memory.id, memory]));

  it('notes that say the same and a finished conversation › one note with all sources, one episode, no message hidden', async () => {
    await storeSome();
    const { made, skippedCount, hasMore } = await run();
    expect({ skippedCount, hasMore }).toEqual({ skippedCount: 0, hasMore: false });
    expect(made.map(({ kind }) => kind).sort()).toEqual(['episode', 'merge']);
    const merge = made.find(({ kind }) => kind === 'merge');
    expect(merge).toMatchObject({ text: 'The user likes tea.', hiddenIds: ['a', 'b'] });
    expect(merge?.sources).toEqual(['a', 'b'].map((id) => `namespaces/${SPACE}/memories/${id}`));
    const episode = made.find(({ kind }) => kind === 'episode');
    expect(episode?.sources).toHaveLength(9);
    const after = await byId();
    expect(after.get('a')?.supersededBy).toBe(merge?.id);
    const hidden = [...after.values()].filter(({ supersededBy }) => supersededBy !== undefined);
    expect(hidden.map(({ id }) => id).sort()).toEqual(['a', 'b']);
    expect(after.get(episode?.id ?? '')?.scope.session).toBe(CONVERSATION);
  });

  it('every text that was stored before is stored after; a second run and a conversation that is not finished make nothing', async () => {
    await storeSome();
    const before = await all();
    await run({ idleUs: 30 * DAY_US });
    await run();
    const after = await byId();
    for (const { id, text, content } of before)
      expect(after.get(id)).toMatchObject({ text, ...(content && { content }) });
    expect(await run()).toEqual({ made: [], skippedCount: 0, hasMore: false });
  });

  it('a dry run › the same memories as the run, and nothing is written', async () => {
    await storeSome();
    const { revision } = bench.deps.store;
    const planned = await run({ dryRun: true });
    expect(bench.deps.store.revision).toBe(revision);
    expect(new Set(planned.made)).toEqual(new Set((await run()).made));
  });

  it('one step at a time › the end state of one run', async () => {
    await storeSome();
    const first = await run({ stepsMax: 1 });
    expect(first).toMatchObject({ hasMore: true });
    expect(await run({ stepsMax: 1 })).toMatchObject({ hasMore: false });
    expect((await all()).filter(({ source }) => source.origin === 'mneme.consolidation')).toHaveLength(2);
  });

  it('a run that is cut off after its first step › the next one goes on with the report, whose limit counts both', async () => {
    await storeSome();
    const { store: memories } = bench.deps;
    const cut = new AbortController();
    const isMade = ({ source }: { readonly source: Memory['source'] }) => source.origin === 'mneme.consolidation';
    const cutting = {
      ...bench.deps,
      store: withMethods(memories, {
        write: async (change) => {
          const outcome = await memories.write(change);
          const any = change as Change;
          if (any.kind === 'store' && any.memories.some((one) => isMade(one) && one.text !== '')) cut.abort();
          return outcome;
        },
      }),
    };
    const request = { namespace: SPACE, scope: WHOLE_NAMESPACE, idleUs: DAY_US, stepsMax: 200, dryRun: false };
    await expect(consolidate(cutting, request, { ...call, signal: cut.signal })).rejects.toThrow();
    expect((await all()).filter(isMade)).toHaveLength(1);
    expect(await run({ stepsMax: 1 })).toMatchObject({ made: [{}], hasMore: true });
    expect(await run()).toMatchObject({ made: [{}], hasMore: false });
  });

  it('a call that is repeated with its request id › its report and answer again, also when more was made meanwhile', async () => {
    await storeSome();
    const request = { namespace: SPACE, scope: WHOLE_NAMESPACE, idleUs: DAY_US, stepsMax: 1, dryRun: false };
    const once = { ...call, idempotency: { requestId: 'r', fingerprint: 'f' } };
    const first = await consolidate(bench.deps, request, once);
    expect(first).toMatchObject({ id: expect.any(String), hasMore: true, made: [{}] });
    await run();
    expect(await consolidate(bench.deps, request, once)).toEqual(first);
  });

  it('an undo by a caller that may not see what was made › SCOPE_PRIVATE, and nothing is changed', async () => {
    await storeSome();
    const { id = '' } = await run();
    const policy = {
      scope: { ...WHOLE_NAMESPACE, session: CONVERSATION },
      isPrivate: true,
      isReadOnly: false,
      isIsolated: false,
    };
    const visibilityRules = new VisibilityRules({ list: async () => [policy], atHand: () => [policy] });
    const before = await all();
    const undone = undoConsolidation({ ...bench.deps, visibilityRules }, { namespace: SPACE, id }, call);
    await expect(undone).rejects.toMatchObject({ reason: 'SCOPE_PRIVATE' });
    expect(await all()).toEqual(before);
  });

  it('undo › exactly what was there before but for versions, and it is not made again', async () => {
    await storeSome();
    const before = (await all()).map(withoutRevision);
    const { id = '', made } = await run();
    const undone = await undoConsolidation(bench.deps, { namespace: SPACE, id }, call);
    expect([...undone.restoredIds].sort()).toEqual(['a', 'b']);
    expect([...undone.deletedIds].sort()).toEqual(made.map((memory) => memory.id).sort());
    expect((await all()).map(withoutRevision)).toEqual(before);
    expect((await run()).made).toEqual([]);
    expect(await undoConsolidation(bench.deps, { namespace: SPACE, id }, call)).toMatchObject({ restoredIds: [] });
  });

  it('a merged note that was merged again › it cites the first sources; the later consolidation is undone first', async () => {
    await storeSome();
    const first = await run();
    await store(note('e', 'The user likes TEA'));
    const second = await run();
    const name = (id: string) => `namespaces/${SPACE}/memories/${id}`;
    expect(second.made[0]?.sources).toEqual(['a', 'b', 'e'].map(name));
    const undo = (id = '') => undoConsolidation(bench.deps, { namespace: SPACE, id }, call);
    await expect(undo(first.id)).rejects.toMatchObject({ reason: 'MEMORY_SUPERSEDED' });
    await undo(second.id);
    await undo(first.id);
    expect([...(await byId()).values()].filter(({ supersededBy }) => supersededBy !== undefined)).toEqual([]);
    expect((await run()).made).toEqual([]);
  });

  it('a merged note that was changed after the merge › undo keeps it', async () => {
    await storeSome();
    const { id = '', made } = await run();
    const merged = made.find(({ kind }) => kind === 'merge')?.id ?? '';
    bench.clock.us += 1;
    await bench.deps.store.write({
      kind: 'update',
      namespace: SPACE,
      id: merged,
      changes: { importance: 0.9 },
      atUs: bench.clock.us,
    });
    expect(await undoConsolidation(bench.deps, { namespace: SPACE, id }, call)).toMatchObject({ keptIds: [merged] });
    expect((await byId()).get(merged)).toBeDefined();
  });
});

function withoutRevision({ revision: _, ...memory }: Memory) {
  return memory;
}

function note(id: string, text: string, changes: Partial<MemoryDraft> = {}): MemoryDraft {
  return {
    id,
    scope: WHOLE_NAMESPACE,
    type: 'fact',
    text,
    textDerived: false,
    tags: [],
    importance: 0.5,
    priority: 1,
    source: { speaker: '', uri: '', origin: '' },
    ...changes,
  };
}

function message(sequence: number, text: string): MemoryDraft {
  return messageMemory(CONVERSATION, WHOLE_NAMESPACE, sequence, {
    role: 'user',
    name: '',
    blocks: [{ kind: 'text', text }],
  });
}
