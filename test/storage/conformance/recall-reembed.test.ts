import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { LocalEngine } from '../../../src/search/recall/local-engine.ts';
import { newMemory } from '../../support/new-memory.ts';
import { aQuery, type RecallFixture, recallFixture } from '../../support/recall-fixture.ts';

const COUNT = 300;
const [FROM, TO] = ['old', 'new'];

let fixture: RecallFixture;
let engine: LocalEngine;
beforeEach(async () => {
  fixture = await recallFixture();
  const memories = Array.from({ length: COUNT }, (_, at) =>
    newMemory({ id: `m${at}`, text: `text ${at}`, embedding: { model: FROM, values: Float32Array.of(1, at) } }),
  );
  await fixture.store.write({
    kind: 'store',
    namespace: 'n',
    memories,
    createNamespace: true,
    onConflict: 'fail',
    atUs: 1,
  });
  engine = fixture.newEngine();
});
afterEach(() => fixture.close());

/** The text's own number is its direction. */
const newVector = (text: string): Float32Array => {
  const angle = Number(text.split(' ')[1]) / 100;
  return Float32Array.of(Math.cos(angle), 0, Math.sin(angle));
};
const find = (values: Float32Array, model: string) => engine.search(aQuery({ embedding: { model, values }, limit: 1 }));

async function reembed(): Promise<void> {
  const [namespace, model] = ['n', TO];
  await fixture.store.reembedding.beginReembedding({ namespace, model, dimension: 3, atUs: 2 });
  for (;;) {
    const batch = await fixture.store.reembedding.reembeddingBatch({ namespace, limit: 100 });
    const vectors = batch.map(({ key, checksum, text }) => ({ key, checksum, values: newVector(text) }));
    if (vectors.length > 0) await fixture.store.reembedding.setReembedded({ namespace, model, vectors });
    else if (await fixture.store.reembedding.finishReembedding({ namespace, model, atUs: 3 })) return;
  }
}

it('vectors of a new space › are read in slices, including changes between the slices', async () => {
  expect(find(Float32Array.of(1, 7), FROM).hits[0]?.id).toBe('m7');
  await reembed();
  engine.states.follow();
  const [state] = [...engine.states.all()];
  expect(state?.isVectorRead).toBe(false);
  expect(state?.index?.size).toBe(0);
  let slices = 0;
  const changed = newMemory({ id: 'm1', text: 'text 305', embedding: { model: TO, values: newVector('text 305') } });
  const write = {
    namespace: 'n',
    memories: [changed],
    createNamespace: false,
    onConflict: 'replace',
    atUs: 4,
  } as const;
  while (engine.states.work(0.001)) if (++slices === 2) await fixture.store.write({ kind: 'store', ...write });
  expect(slices).toBeGreaterThan(4);
  expect(state?.isVectorRead).toBe(true);
  expect(state?.index?.size).toBe(COUNT);
  expect(find(newVector('text 305'), TO).hits[0]?.id).toBe('m1');
  expect(find(newVector('text 250'), TO)).toMatchObject({ hits: [{ id: 'm250' }], degraded: [] });
});
