import { hash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { IndexFolder, loadSnapshot, newIndexIn, saveSnapshot } from '../../../src/search/vectors/index-folder.ts';
import type { LayeredVectorIndex } from '../../../src/search/vectors/layered.ts';
import { USEARCH_VERSION } from '../../../src/search/vectors/usearch.ts';
import { seededRandom } from '../../support/random.ts';
import { structuredVectors } from '../../support/structured-vectors.ts';

const DIMENSION = 48;
const OPTIONS = { dimension: DIMENSION, exactMax: 100 };
const random = seededRandom('vector index snapshot');
const nextVector = structuredVectors(random, DIMENSION);

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-snapshot-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Partly in the graph, with vectors replaced and deleted since. */
function grownIndex(count: number, within = folder): LayeredVectorIndex {
  const index = newIndexIn(within, OPTIONS);
  for (let key = 1; key <= count; key++) index.set(key, nextVector());
  while (index.advance(1000));
  for (let change = 0; change < count / 5; change++) {
    index.set(1 + random.int(2 * count), nextVector());
    index.delete(1 + random.int(count));
  }
  return index;
}

function loaded(model = 'm', options = OPTIONS) {
  const found = loadSnapshot(folder, model, options);
  if (!found || 'refused' in found) throw new Error(`not loaded: ${found?.refused}`);
  return found;
}

function expectEqual(one: LayeredVectorIndex, other: LayeredVectorIndex): void {
  expect([one.size, one.exactCount]).toEqual([other.size, other.exactCount]);
  for (let round = 0; round < 20; round++) {
    const query = nextVector();
    expect(one.search(query, 10)).toEqual(other.search(query, 10));
    expect(one.search(query, 10, { exact: true })).toEqual(other.search(query, 10, { exact: true }));
  }
}

describe('vector index snapshot', () => {
  it.each([0, 1, 60, 500])('%i vectors saved and loaded › answers and continues as before', async (count) => {
    const index = grownIndex(count);
    await saveSnapshot(folder, index, { revision: 12, model: 'm' });
    const { index: again, revision } = loaded();
    expect(revision).toBe(12);
    expectEqual(again, index);
    for (let key = 1; key <= 300; key++) {
      const vector = nextVector();
      for (const each of [again, index]) {
        each.delete(random.int(2));
        each.set(key, vector);
      }
    }
    again.advance(1000);
    expect(again.size).toBe(index.size);
    const query = nextVector();
    expect(again.search(query, 10, { exact: true })).toEqual(index.search(query, 10, { exact: true }));
  });

  it('slots used again after it was saved, and not saved › the same changes lead to the same index', async () => {
    const index = grownIndex(500);
    await saveSnapshot(folder, index, { revision: 1, model: 'm' });
    const changes = Array.from({ length: 400 }, () => {
      return { key: 1 + random.int(700), vector: random.chance(0.4) ? undefined : nextVector() };
    });
    const change = (changed: LayeredVectorIndex, { key, vector }: (typeof changes)[number]) =>
      vector ? changed.set(key, vector) : changed.delete(key);
    for (const each of changes) {
      change(index, each);
      index.advance(0);
    }
    while (index.advance(1000));
    const { index: again } = loaded();
    for (const each of changes) change(again, each);
    for (let round = 0; round < 20; round++) {
      const query = nextVector();
      expect(again.search(query, 500, { exact: true })).toEqual(index.search(query, 500, { exact: true }));
    }
    expect(again.takeDamaged()).toEqual([]);
  });

  it('changed while it is written › is the state at the call', async () => {
    const index = grownIndex(400);
    const saving = saveSnapshot(folder, index, { revision: 1, model: 'm' });
    const size = index.size;
    const nearest = index.search(nextVector(), 1)[0]?.key ?? 0;
    for (let key = 1; key <= 1000; key++) index.delete(key);
    index.set(5000, nextVector());
    await saving;
    const { index: again } = loaded();
    expect(again.size).toBe(size);
    expect(again.delete(nearest)).toBe(true);
    expect(again.delete(5000)).toBe(false);
  });

  it('slots used again while it is written › the same changes lead to the same index', async () => {
    const index = grownIndex(5000);
    const changes: { readonly key: number; readonly vector: Float32Array | undefined }[] = [];
    const change = (changed: LayeredVectorIndex, { key, vector }: (typeof changes)[number]) =>
      vector ? changed.set(key, vector) : changed.delete(key);
    let isSaving = true;
    const saving = saveSnapshot(folder, index, { revision: 1, model: 'm', sliceMs: 0 }).then(() => {
      isSaving = false;
    });
    for (; isSaving; await new Promise(setImmediate)) {
      for (let count = 0; count < 20; count++) {
        const each = { key: 1 + random.int(7000), vector: random.chance(0.3) ? undefined : nextVector() };
        changes.push(each);
        change(index, each);
      }
      index.advance(0);
    }
    await saving;
    const { index: again } = loaded();
    for (const each of changes) change(again, each);
    for (let round = 0; round < 20; round++) {
      const query = nextVector();
      expect(again.search(query, 500, { exact: true })).toEqual(index.search(query, 500, { exact: true }));
    }
    expect(again.takeDamaged()).toEqual([]);
  });

  it('closed, or rebuilt without a graph, while it is written › the previous snapshot stays', async () => {
    await saveSnapshot(folder, grownIndex(3000), { revision: 1, model: 'm' });
    const before = readdirSync(folder).sort();
    for (const end of ['close', 'rebuild']) {
      const { index } = loaded();
      const saving = saveSnapshot(folder, index, { revision: 2, model: 'm', sliceMs: 0 });
      for (let key = 1; key <= 6000; key++) index.delete(key);
      if (end === 'close') index.close();
      else index.advance(0);
      await saving;
    }
    expect(loaded().revision).toBe(1);
    expect(readdirSync(folder).sort()).toEqual(before);
  });

  it('first beyond the exact limit while it is written › its new file stays, and it can be saved again', async () => {
    const index = grownIndex(60);
    const saving = saveSnapshot(folder, index, { revision: 1, model: 'm' });
    for (let key = 1; key <= 300; key++) index.set(key, nextVector());
    while (index.advance(1000));
    await saving;
    await saveSnapshot(folder, index, { revision: 2, model: 'm' });
    expect(readdirSync(folder).sort()).toEqual(['graph-3', 'manifest', 'rows-2', 'vectors-3']);
    expectEqual(loaded().index, index);
  });

  it('saved again › the folder has the new one only', async () => {
    const index = grownIndex(300);
    await saveSnapshot(folder, index, { revision: 1, model: 'm' });
    index.set(7, nextVector());
    await saveSnapshot(folder, index, { revision: 2, model: 'm' });
    expect(readdirSync(folder).sort()).toEqual(['graph-3', 'manifest', 'rows-1', 'vectors-3']);
    expect(loaded().revision).toBe(2);
    expectEqual(loaded().index, index);
  });

  it('no folder › no snapshot', () => {
    expect(loadSnapshot(join(folder, 'none'), 'm', OPTIONS)).toBeUndefined();
  });

  it('of another model or dimension › refused with both named', async () => {
    await saveSnapshot(folder, grownIndex(10), { revision: 1, model: 'm' });
    expect(loadSnapshot(folder, 'n', OPTIONS)).toEqual({
      refused: 'the snapshot is of "m", not of "n"',
      isFormer: true,
    });
    expect(loadSnapshot(folder, 'm', { ...OPTIONS, dimension: 49 })).toEqual({
      refused: 'the snapshot is of "48", not of "49"',
      isFormer: true,
    });
  });

  it('of a former format › refused as whole; with a changed byte as damaged', async () => {
    const changed = (name: string, line: string) => writeFileSync(join(folder, name), line);
    await saveSnapshot(folder, grownIndex(10), { revision: 1, model: 'm' });
    const [line = ''] = (await readFile(join(folder, 'manifest'), 'utf8')).split('\n');
    const former = line.replace('"format":3', '"format":2');
    changed('manifest', `${former}\n${hash('sha256', former)}\n`);
    const refused = 'the snapshot is of format 2, not 3';
    expect(loadSnapshot(folder, 'm', OPTIONS)).toEqual({ refused, isFormer: true });
    changed('manifest', `${former}\n${hash('sha256', line)}\n`);
    expect(loadSnapshot(folder, 'm', OPTIONS)).toEqual({ refused: 'the manifest is damaged', isFormer: false });
  });

  it('version in the manifest › is that of the installed library', async () => {
    const installed = await readFile(join(import.meta.dirname, '../../../node_modules/usearch/package.json'), 'utf8');
    expect((JSON.parse(installed) as { version: string }).version).toBe(USEARCH_VERSION);
  });
});

describe('IndexFolder', () => {
  const namespace = { key: 3, name: 'n', firstKey: 0, embeddingModel: 'm', embeddingDimension: DIMENSION };
  const refusals: string[] = [];
  const folderOf = () =>
    new IndexFolder(folder, { exactMax: 100 }, (name, reason) => refusals.push(`${name}: ${reason}`));

  it('saved, loaded, removed › each namespace separately', async () => {
    const files = folderOf();
    await files.save(namespace, grownIndex(200, join(folder, 'vectors', '3')), { revision: 2, mark: 'x' });
    expect(files.load(namespace)).toMatchObject({ revision: 2, mark: 'x' });
    expect(files.load({ ...namespace, key: 4 })).toBeUndefined();
    files.forget(3);
    expect(files.load(namespace)).toBeUndefined();
    expect(refusals).toEqual([]);
  });

  it('removed while it is saved › fails, and nothing remains', async () => {
    const files = folderOf();
    const saving = files.save(namespace, grownIndex(200, join(folder, 'vectors', '3')), { revision: 2, mark: 'x' });
    files.forget(3);
    await expect(saving).rejects.toThrow('ENOENT');
    expect(files.load(namespace)).toBeUndefined();
    expect(readdirSync(join(folder, 'vectors'))).toEqual([]);
  });

  it('of another model › reported with the reason, not loaded', async () => {
    const files = folderOf();
    await files.save(namespace, grownIndex(10, join(folder, 'vectors', '3')), { revision: 1, mark: 'x' });
    expect(files.load({ ...namespace, embeddingModel: 'other' })).toBeUndefined();
    expect(refusals.splice(0)).toEqual(['n: the snapshot is of "m", not of "other"']);
  });
});
