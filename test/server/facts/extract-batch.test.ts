import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { messageMemory } from '../../../src/memory/conversation.ts';
import type { Scope } from '../../../src/memory/memory.ts';
import type { ExtractionBatch, Extractor } from '../../../src/server/extraction/extractor.ts';
import { extractBatch } from '../../../src/server/operations/extraction/extract-batch.ts';
import { factSink } from '../../../src/server/operations/facts/fact-sink.ts';
import { storeMemories } from '../../../src/server/operations/memories/store-memories.ts';
import { call } from '../operations/support.ts';
import { FactBench, NOWHERE, SPACE } from './support.ts';

const [ada, eve]: Scope[] = ['ada', 'eve'].map((agent) => ({ ...NOWHERE, agent }));

/** Keeps what it is given, and makes the same note of each batch. */
class NotingExtractor implements Extractor {
  readonly name = 'noting';
  readonly batches: ExtractionBatch[] = [];

  capacity(): 'server' {
    return 'server';
  }

  async extract(batch: ExtractionBatch) {
    this.batches.push(batch);
    const sources = batch.messages.map(({ sequence }) => sequence);
    return { claims: [], notes: [{ type: 'episode', text: 'A greeting.', confidence: 1, tags: [], sources }] };
  }
}

let bench: FactBench;
beforeEach(async () => {
  bench = await FactBench.open('sqlite');
});
afterEach(() => bench.close());

async function append(...owners: (Scope | undefined)[]): Promise<void> {
  const memories = owners.map((scope = NOWHERE, sequence) => {
    const text = `hello ${sequence}`;
    return messageMemory('c', scope, sequence, { role: 'user', name: '', blocks: [{ kind: 'text', text }] });
  });
  await storeMemories(bench.deps, { namespace: SPACE, memories, onConflict: 'fail' }, call);
}

async function extract(extractor: Extractor, ...sequences: number[]) {
  let begun = 0;
  const request = {
    ...{ namespace: SPACE, conversation: 'c', sequences, revised: [], extractor, includesToolBlocks: false },
    ...{ settings: new Map(), onExtraction: () => ++begun },
  };
  const counts = await extractBatch({ ...bench.deps, sink: factSink(bench.deps) }, request, call.signal);
  return { begun, counts: Object.fromEntries(counts) };
}

async function noteScopes(): Promise<Scope[]> {
  const read = { namespace: SPACE, order: 'create_time_asc', limit: 100, bytesMax: 1e6, view: 'basic' } as const;
  const { memories } = await bench.deps.view.list({ ...read, nowUs: bench.clock.us });
  return memories.filter(({ type }) => type === 'episode').map(({ scope }) => scope);
}

it('messages of several scopes › one extraction for each, with earlier messages of the same scope only', async () => {
  await append(eve, ada, eve, ada, ada);
  const extractor = new NotingExtractor();
  expect((await extract(extractor, 2, 3, 4)).begun).toBe(2);
  const numbers = (messages: ExtractionBatch['messages']) => messages.map(({ sequence }) => sequence);
  expect(extractor.batches.map(({ scope, messages, earlier }) => [scope, numbers(earlier), numbers(messages)])).toEqual(
    [
      [eve, [0], [2]],
      [ada, [1], [3, 4]],
    ],
  );
});

it('the same note of several scopes › one in each, stored once', async () => {
  await append(eve, ada, NOWHERE);
  const extractor = new NotingExtractor();
  expect((await extract(extractor, 0, 1, 2)).counts).toEqual({ created: 3 });
  expect(await noteScopes()).toEqual(expect.arrayContaining([ada, eve, NOWHERE]));
  expect((await extract(extractor, 0, 1, 2)).counts).toEqual({ merged: 3 });
});
