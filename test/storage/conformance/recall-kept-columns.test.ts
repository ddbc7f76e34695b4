import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { LocalEngine } from '../../../src/search/recall/local-engine.ts';
import type { NamespaceColumns } from '../../../src/search/recall/namespace-columns.ts';
import type { ColumnRow, NamespaceEntry } from '../../../src/search/recall/namespace-source.ts';
import { ColumnFolder } from '../../../src/search/vectors/column-folder.ts';
import { memoryReaders, SqliteRecallSource } from '../../../src/storage/sqlite/recall-source.ts';
import { newMemory } from '../../support/new-memory.ts';
import { seededRandom } from '../../support/random.ts';
import { aQuery, type RecallFixture, recallFixture } from '../../support/recall-fixture.ts';

const NOW_US = 1_800_000_000_000_000;
const DAY_US = 86_400_000_000;
const ASKED_AT_US = [NOW_US - 20 * DAY_US, NOW_US, NOW_US + 20 * DAY_US];
const random = seededRandom('kept columns');

let fixture: RecallFixture;
/** Namespaces whose columns were read from the store. */
let readCount: number;
let refused: string[];
beforeEach(async () => {
  fixture = await recallFixture();
  [readCount, refused] = [0, []];
});
afterEach(async () => {
  await fixture.close();
});

class CountingSource extends SqliteRecallSource {
  override columns(namespace: NamespaceEntry): Iterable<ColumnRow> {
    readCount++;
    return super.columns(namespace);
  }
}

function newEngine(files = true): LocalEngine {
  readCount = 0;
  return fixture.newStrictEngine({
    source: new CountingSource(fixture.database, memoryReaders(fixture.database)),
    ...(files && { columnFiles: new ColumnFolder(fixture.folder, (_, reason) => refused.push(reason)) }),
    textsKeptMin: 1,
  });
}

/** Memories with and without each of the columns. */
async function store(first: number, count: number): Promise<void> {
  const now = (): number => NOW_US + (random.int(80) - 40) * DAY_US;
  const memories = Array.from({ length: count }, (_, at) => {
    const session = random.pick(['', 'one', 'two', 'three']);
    return newMemory({
      id: `m${first + at}`,
      text: random.pick(['garden', 'lake', 'tea in the garden']),
      scope: { project: '', agentType: '', agent: session === '' ? '' : 'a', session },
      source: { speaker: random.pick(['Ann', 'Bo', '']), uri: `turn:${random.int(1e9)}`, origin: '' },
      eventAtUs: now(),
      importance: random.int(10) / 10,
      ...(random.int(4) === 0 && { expiresAtUs: now() }),
      ...(random.int(4) === 0 && { validFromUs: now() }),
      ...(random.int(5) === 0 && { step: random.int(100) }),
      ...(random.int(5) === 0 && { place: placeOf(random.int(10)) }),
    });
  });
  await fixture.store.write({
    kind: 'store',
    namespace: 'n',
    memories,
    createNamespace: true,
    onConflict: 'replace',
    atUs: NOW_US,
  });
}

function placeOf(number: number) {
  return { location: `hall ${number % 3}`, room: '', region: 'north', point: { x: number, y: 2, z: 0 } };
}

/** Everything that ranking reads; sessions by their last memory, as their numbers differ. */
function viewOf(columns: NamespaceColumns): unknown {
  const sequences = Array.from({ length: columns.end + 2 }, (_, at) => at).filter((at) => columns.has(at));
  const asked = { location: 'hall 1', room: '', region: 'north' };
  const rows = sequences.map((at) => [
    at,
    columns.eventAtUs(at),
    columns.expiresAtUs(at),
    columns.eventTimes.before(at, [{ fromUs: columns.eventAtUs(at), untilUs: columns.eventAtUs(at) + 1 }]) === at,
    columns.importance(at),
    columns.declaresStart(at),
    columns.isSummary(at),
    columns.speakers.nameOf(columns.speakerOf(at)),
    columns.sessionOf(at) < 0 ? 'none' : columns.lastOf(columns.sessionOf(at)),
    columns.neighbor(at, 1),
    columns.neighbor(at, -1),
    String(columns.placeColumns.step(at)),
    columns.placeColumns.namesShared(at, asked),
    String(columns.placeColumns.distance(at, { kind: 'point', point: { x: 1, y: 1, z: 1 }, scale: 1 })),
    ASKED_AT_US.map((nowUs) => columns.isCandidate(at, { nowUs, validity: 'current' })),
    ASKED_AT_US.map((nowUs) => columns.nextTurnUs(at, nowUs)),
  ]);
  const { size, hasHidden } = columns;
  const turns = ASKED_AT_US.map((nowUs) => [columns.firstTurnUs(nowUs), columns.firstStartUs(nowUs)]);
  return { rows, size, hasHidden, turns, names: [...columns.speakers.nameWords()].sort() };
}

function answerOf(engine: LocalEngine): unknown {
  const { hits } = engine.search(aQuery({ text: 'garden Ann', explain: true, limit: 50, neighborCount: 2 }));
  const [state] = engine.states.all();
  return { hits, view: state && viewOf(state.columns) };
}

describe('Columns kept between runs', () => {
  it('are the same as those of the rows, without reading any', async () => {
    await store(0, 300);
    const engine = newEngine();
    const expected = answerOf(engine);
    expect(readCount).toBe(1);
    await engine.states.save({ changesMin: 1 });

    const again = newEngine();
    expect(answerOf(again)).toEqual(expected);
    expect(readCount).toBe(0);
  });

  it('follow changes before the start and after it', async () => {
    await store(0, 200);
    const engine = newEngine();
    answerOf(engine);
    await engine.states.save({ changesMin: 1 });
    await store(180, 60);
    await fixture.store.write({
      kind: 'delete',
      namespace: 'n',
      ids: ['m3', 'm195'],
      cause: 'deleted',
      mustExist: false,
      atUs: NOW_US,
    });
    const again = newEngine();
    const changed = answerOf(again);
    expect(readCount).toBe(0);
    expect(changed).toEqual(answerOf(newEngine(false)));

    await store(230, 90);
    await fixture.store.write({
      kind: 'delete',
      namespace: 'n',
      ids: ['m5'],
      cause: 'deleted',
      mustExist: false,
      atUs: NOW_US,
    });
    const expected = answerOf(newEngine(false));
    expect(answerOf(again)).toEqual(expected);
    await again.states.save({ changesMin: 1 });
    expect(answerOf(newEngine())).toEqual(expected);
    expect(readCount).toBe(0);
  });

  it.each([0, 1, 5, 2000])('are refused with a changed byte at %i, and read', async (place) => {
    await store(0, 50);
    const engine = newEngine();
    const expected = answerOf(engine);
    await engine.states.save({ changesMin: 1 });
    const folder = join(fixture.folder, 'columns', readdirSync(join(fixture.folder, 'columns'))[0] ?? '');
    for (const name of readdirSync(folder).filter((one) => one !== 'manifest')) {
      const bytes = readFileSync(join(folder, name));
      bytes[place] = (bytes[place] ?? 0) ^ 1;
      writeFileSync(join(folder, name), bytes);
    }

    expect(answerOf(newEngine())).toEqual(expected);
    expect(readCount).toBe(1);
    expect(refused).toHaveLength(1);
  });

  it('go with their namespace', async () => {
    await store(0, 50);
    const engine = newEngine();
    answerOf(engine);
    await engine.states.save({ changesMin: 1 });
    await fixture.store.write({ kind: 'deleteNamespace', name: 'n', force: true, atUs: NOW_US });
    expect(() => answerOf(engine)).toThrow();
    expect(readdirSync(join(fixture.folder, 'columns'))).toEqual([]);
  });
});
