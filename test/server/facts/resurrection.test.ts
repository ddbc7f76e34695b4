import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Memory, MemoryDraft } from '../../../src/memory/memory.ts';
import { forgetFacts } from '../../../src/server/operations/facts/amend-facts.ts';
import { factSink } from '../../../src/server/operations/facts/fact-sink.ts';
import { factsRestored } from '../../../src/server/operations/facts/guard-facts.ts';
import { storeMemories } from '../../../src/server/operations/memories/store-memories.ts';
import { exportMemories } from '../../../src/server/operations/memories/transfer-memories.ts';
import { call } from '../operations/support.ts';
import { BACKENDS, DAY_US, FactBench, heard, NOWHERE, SPACE, START_US } from './support.ts';

describe.each(BACKENDS)('facts that were forgotten or corrected (%s)', (backend) => {
  let bench: FactBench;
  beforeEach(async () => {
    bench = await FactBench.open(backend);
    await bench.assert(heard('Lisbon', 'turn/1'), heard('tea', 'turn/1', { attribute: 'likes', text: 'I like tea.' }));
    bench.clock.us = START_US + DAY_US;
    await bench.assert(heard('Rome', 'turn/2'));
  });
  afterEach(() => bench.close());

  const forget = async () => {
    await forgetFacts(bench.deps, { namespace: SPACE, ids: [], subject: 'user', dryRun: false }, call);
    bench.clock.us += DAY_US;
  };
  const exported = async () => {
    const memories: Memory[] = [];
    for await (const part of exportMemories(bench.deps, { namespace: SPACE }, call)) memories.push(...part.memories);
    return memories;
  };
  const imported = (memories: readonly Memory[], onConflict: 'keep' | 'replace') =>
    storeMemories(bench.deps, { namespace: SPACE, memories: memories.map(draftOf), onConflict }, call);
  const texts = async () => {
    const read = { namespace: SPACE, order: 'create_time_asc', limit: 100, bytesMax: 1e6, view: 'basic' } as const;
    const { memories } = await bench.deps.view.list({ ...read, nowUs: bench.clock.us });
    return memories
      .filter(({ supersededBy }) => supersededBy === undefined)
      .flatMap(({ text }) => (text === '' ? [] : [text]));
  };

  it('ingested again, and by a retry › nothing comes back', async () => {
    await forget();
    for (const turn of ['turn/2', 'turn/9']) {
      const outcomes = await bench.assert(heard('Rome', turn), heard('tea', turn, { attribute: 'likes' }));
      expect(outcomes.map(({ reason }) => reason)).toEqual(['forgotten', 'forgotten']);
    }
    expect(await texts()).toEqual([]);
  });

  it('an echo of the assistant › nothing comes back', async () => {
    await forget();
    const echo = heard('Rome', 'turn/3', { trust: 'assistant', text: 'You live in Rome.' });
    expect(await bench.assert(echo)).toMatchObject([{ kind: 'ignored' }]);
    expect(await texts()).toEqual([]);
  });

  it('claims of an extractor over the same messages › nothing comes back', async () => {
    await forget();
    await factSink(bench.deps).assertClaims(
      {
        ...{ namespace: SPACE, scope: NOWHERE, conversation: 'c', extractor: 'rules', notes: [] },
        claims: [
          { subject: 'user', attribute: 'home_city', value: 'Rome', text: 'Rome.', confidence: 0.9, sources: [0] },
        ],
        eventTimesUs: new Map([[0, START_US + 9 * DAY_US]]),
      },
      call.signal,
    );
    expect(await texts()).toEqual([]);
  });

  it.each(['keep', 'replace'] as const)(
    'an import of what was exported before (%s) › nothing comes back',
    async (onConflict) => {
      const before = await exported();
      await forget();
      await imported(before, onConflict);
      expect(await texts()).toEqual([]);
      expect(await bench.values({ includesSuperseded: true })).toEqual([]);
      expect(await bench.assert(heard('Rome', 'turn/2'))).toMatchObject([{ reason: 'forgotten' }]);
    },
  );

  it('an import of what was exported before a correction › the corrected value stays superseded', async () => {
    const before = (await exported()).filter(({ text }) => text !== '');
    bench.clock.us += DAY_US;
    await bench.assert({ value: 'Oslo' });
    await imported(before, 'replace');
    expect(await bench.values({ attribute: 'home_city' })).toEqual(['Oslo']);
    expect(await texts()).toEqual(['I like tea.', 'The user’s home city is Oslo.']);
  });

  it('memories put back as they were, past the timelines › corrected by the next restore or read', async () => {
    const before = (await exported()).filter(({ text }) => text !== '');
    await forget();
    const raw = before.map(({ namespace: _, revision: __, ...fields }) => ({ ...fields, embeddingPending: false }));
    const write = { namespace: SPACE, memories: raw, createNamespace: false, onConflict: 'replace' } as const;
    await bench.deps.store.write({ kind: 'store', ...write, atUs: bench.clock.us });
    expect(await texts()).not.toEqual([]);
    await factsRestored(bench.deps, SPACE);
    expect(await texts()).toEqual([]);
    await bench.deps.store.write({ kind: 'store', ...write, atUs: bench.clock.us });
    expect(await bench.values({ includesSuperseded: true })).toEqual([]);
    expect(await texts()).toEqual([]);
  });

  it('facts imported into another namespace › in their timelines, new values supersede them', async () => {
    const facts = (await exported()).filter(({ text }) => text !== '');
    const other = 'other';
    await storeMemories(bench.deps, { namespace: other, memories: facts.map(draftOf), onConflict: 'keep' }, call);
    expect(await bench.values({ namespace: other })).toEqual(['Rome', 'tea']);
    expect(await bench.values({ namespace: other, validAtUs: START_US + 1000 })).toEqual(['Lisbon', 'tea']);
  });

  it('an explicit assertion › comes back', async () => {
    await forget();
    await bench.assert({ value: 'Rome' });
    expect(await bench.values()).toEqual(['Rome']);
  });
});

/** A memory as an import sends it. */
function draftOf(memory: Memory): MemoryDraft {
  const {
    namespace: _,
    createdAtUs,
    updatedAtUs,
    retrievalCount,
    revision: __,
    tier: ___,
    checksum: ____,
    ...fields
  } = memory;
  return { ...fields, past: { createdAtUs, updatedAtUs, retrievalCount } };
}
