import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Resolution } from '../../src/memory/resolution/resolution.ts';
import { sqliteAgentSnapshots } from '../../src/storage/sqlite/agents/agent-snapshots.ts';
import { databaseFileIn } from '../../src/storage/sqlite/database.ts';
import { openSqliteStore, type SqliteMemoryStore } from '../../src/storage/sqlite/memory-store.ts';
import { damageInFolder } from '../support/damage.ts';
import { newMemory } from '../support/new-memory.ts';
import { brokenRules } from './store-faults.ts';

const NOW_US = 1_800_000_000_000_000;
const LOW: Resolution = { abstractBytesMax: 20, compressionLevel: 3, vector: 'i8', vectorDimension: 0 };

let folder: string;
let store: SqliteMemoryStore;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-damaged-'));
  store = await openSqliteStore({ folder });
  const text = 'She said that the garden had never been as green as in that summer.';
  const values = Float32Array.from({ length: 32 }, (_, at) => Math.sin(at));
  const memories = ['a', 'b'].map((id) => newMemory({ id, text, embedding: { model: 'm', values } }));
  await store.write({
    kind: 'store',
    namespace: 'n',
    memories,
    createNamespace: true,
    onConflict: 'fail',
    atUs: NOW_US,
  });
  await store.write({ kind: 'move', namespace: 'n', ids: ['a', 'b'], to: 'long_term', resolution: LOW, atUs: NOW_US });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const read = (id: string) => store.get({ namespace: 'n', ids: [id], view: 'full', nowUs: NOW_US });
const raise = (ids: string[]) =>
  store.write({
    kind: 'move',
    namespace: 'n',
    ids,
    to: 'short_term',
    resolution: { ...LOW, abstractBytesMax: 0 },
    atUs: NOW_US,
  });

describe('a memory of a lower tier', () => {
  it.each([['packed'], ['vector'], ['small']] as const)(
    'its %s damaged › CHECKSUM_MISMATCH names it; the others can be read',
    async (part) => {
      damageInFolder(folder, 'a', part);

      await expect(read('a')).rejects.toMatchObject({
        reason: 'CHECKSUM_MISMATCH',
        metadata: { name: 'namespaces/n/memories/a' },
      });
      expect((await read('b'))[0]?.text).toContain('as green as in that summer');
    },
  );

  it('damaged, and to be moved › stays in its tier, and is named', async () => {
    damageInFolder(folder, 'a');

    expect(await raise(['a', 'b'])).toMatchObject({ moved: [{ id: 'b' }], damagedIds: ['a'] });
    const [memory] = await store.get({ namespace: 'n', ids: ['a'], view: 'metadata', nowUs: NOW_US });
    expect(memory?.tier).toBe('long_term');
  });

  it.each([['The harbour was quiet.'], ['']])('damaged, and replaced by %j › whole; all tables agree', async (text) => {
    damageInFolder(folder, 'a');
    const memories = [newMemory({ id: 'a', text })];
    await store.write({
      kind: 'store',
      namespace: 'n',
      memories,
      createNamespace: false,
      onConflict: 'replace',
      atUs: NOW_US,
    });

    expect(await read('a')).toMatchObject([{ text, tier: 'long_term' }]);
    const [a, b] = [Buffer.byteLength(text), Buffer.byteLength((await read('b'))[0]?.text ?? '')];
    expect(await store.totals('n')).toMatchObject([{ tier: 'long_term', count: 2, contentBytes: a + b }]);
    await store.close();
    expect(brokenRules(databaseFileIn(folder))).toEqual([]);
  });

  it('damaged, and in a snapshot of its agent › can be deleted; the snapshot reports the damage', async () => {
    const agents = sqliteAgentSnapshots(store);
    const scope = { project: '', agentType: '', agent: 'ada', session: '' };
    const memories = [newMemory({ id: 'c', text: 'of an agent', scope })];
    await store.write({
      kind: 'store',
      namespace: 'n',
      memories,
      createNamespace: false,
      onConflict: 'fail',
      atUs: NOW_US,
    });
    await agents.take({ namespace: 'n', id: 's', scope, description: '', atUs: NOW_US });
    damageInFolder(folder, 'c', 'text');

    const gone = { namespace: 'n', ids: ['c'], cause: 'deleted', mustExist: true, atUs: NOW_US } as const;
    expect((await store.write({ kind: 'delete', ...gone })).deletedIds).toEqual(['c']);
    await expect(agents.restore({ namespace: 'n', id: 's', embedsLater: false, atUs: NOW_US })).rejects.toMatchObject({
      reason: 'CHECKSUM_MISMATCH',
      metadata: { name: 'namespaces/n/memories/c' },
    });
  });
});
