import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { LocalEngine } from '../../../src/search/recall/local-engine.ts';
import { SearchLoop } from '../../../src/search/recall/search-loop.ts';
import { memoryReaders, SqliteRecallSource } from '../../../src/storage/sqlite/recall-source.ts';
import { put } from '../../storage/conformance/memory-store/store-of-test.ts';
import { newMemory } from '../../support/new-memory.ts';
import { type RecallFixture, recallFixture } from '../../support/recall-fixture.ts';

let fixture: RecallFixture;
const loops: SearchLoop[] = [];
beforeEach(async () => {
  fixture = await recallFixture();
});
afterEach(async () => {
  for (const loop of loops.splice(0)) await loop.stop();
  await fixture.close();
});

function loopOver(engine: LocalEngine): SearchLoop {
  const { database, faults } = fixture;
  const source = new SqliteRecallSource(database, memoryReaders(database));
  const share = { index: 0, count: 1 };
  const onFault = (part: string) => faults.push(part);
  const loop = new SearchLoop({ engine, source, share, saveIntervalMs: 1e9, onFault });
  loops.push(loop);
  return loop;
}

it('the namespaces that changed last › are open before another turn of the thread, that of the last change first', async () => {
  for (const namespace of ['first', 'second', 'third']) {
    await put(fixture.store, [newMemory({ id: 'm', text: 'a cat' })], { namespace });
  }
  const engine = fixture.newEngine();
  const loop = loopOver(engine);
  expect([...engine.states.all()]).toEqual([]);
  expect(loop.openRecent()).toEqual(['third', 'second', 'first']);
  expect([...engine.states.all()].map(({ entry }) => entry.name)).toEqual(['third', 'second', 'first']);
  expect(loop.openRecent()).toEqual(['third', 'second', 'first']);
  expect(fixture.faults).toEqual([]);
});
