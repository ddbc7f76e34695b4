import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { connect, DataLossError, type Mneme, where } from '../../../../clients/typescript/src/index.ts';
import { databaseFileIn, openWritable } from '../../../../src/storage/sqlite/database.ts';
import { PATIENT_CLIENT } from '../../../support/patient.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const IDS = ['a', 'b', 'c'];
let data: string;
let server: TestServer;
let mneme: Mneme;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'mneme-lost-rows-'));
  server = await startTestServer({ data, embedder: 'none', maintenanceIntervalMs: '86400000' });
  mneme = connect(server.address, { ...PATIENT_CLIENT, namespace: 'space' });
  const memories = IDS.map((id) => ({
    id,
    text: `the rain of ${id}`,
    tags: ['wet'],
    content: { of: id },
    scope: { agent: id },
  }));
  await mneme.batchStore(memories);
  await mneme.recall({ minRelevance: 0, text: 'rain' });
});
afterEach(async () => {
  void mneme.close();
  await server.stop();
  await rm(data, { recursive: true, force: true });
});

/** As a disk leaves it that acknowledged a write and lost it. */
function lose(sql: string): void {
  const database = openWritable(databaseFileIn(data));
  try {
    expect(database.prepare(sql).run().changes).toBeGreaterThan(0);
  } finally {
    database.close();
  }
}

const LOST_BODY = "DELETE FROM memory_body WHERE pk = (SELECT pk FROM memory WHERE id = 'b')";

describe('X2 a memory whose body is lost is damaged, in every read', () => {
  beforeEach(() => lose(LOST_BODY));

  it('Get › DATA_LOSS in every view that has more than the fields', async () => {
    for (const view of ['basic', 'full', 'metadata'] as const) {
      await expect(mneme.get('b', { view })).rejects.toMatchObject({
        name: 'DataLossError',
        metadata: { name: 'namespaces/space/memories/b' },
      });
    }
    expect((await mneme.get('a')).text).toBe('the rain of a');
  });

  it('BatchGet, Recall, List, Export › name it, and give the rest', async () => {
    const got = await mneme.batchGet([...IDS, 'x']);
    expect([got.memories.map(({ id }) => id), got.damagedIds, got.missingIds]).toEqual([['a', 'c'], ['b'], ['x']]);
    for (const query of [{ text: 'rain', minRelevance: 0 }, { filter: where.agent.isIn(IDS) }]) {
      const { hits, damagedIds } = await mneme.recall(query);
      expect([hits.map(({ memory }) => memory.id).sort(), damagedIds]).toEqual([['a', 'c'], ['b']]);
    }
    for (const filter of [undefined, where.agent.isIn(IDS), where.text.contains('rain')]) {
      for (const order of ['create_time_asc', 'importance_desc', 'step_asc'] as const) {
        const page = await mneme.listPage({ order, filter });
        expect([page.memories.map(({ id }) => id).sort(), page.damagedIds]).toEqual([['a', 'c'], ['b']]);
      }
    }
    const damaged: string[] = [];
    const exported: string[] = [];
    for await (const { id } of mneme.exportMemories({ onDamaged: (ids) => damaged.push(...ids) })) exported.push(id);
    expect([exported.sort(), damaged]).toEqual([['a', 'c'], ['b']]);
  });

  it('Count › counts it where its fields tell, and otherwise reports it', async () => {
    expect((await mneme.count()).count).toBe(3);
    expect((await mneme.count({ filter: where.agent.isIn(IDS) })).count).toBe(3);
    await expect(mneme.count({ filter: where.text.contains('rain') })).rejects.toThrow(DataLossError);
  });

  it('Update › DATA_LOSS, Store of its id › ALREADY_EXISTS, and after Delete stored again', async () => {
    await expect(mneme.update('b', { text: 'other' })).rejects.toThrow(DataLossError);
    await expect(mneme.store({ id: 'b', text: 'again' })).rejects.toMatchObject({ reason: 'MEMORY_EXISTS' });
    await mneme.delete('b');
    expect((await mneme.batchGet(['b'])).missingIds).toEqual(['b']);
    await mneme.store({ id: 'b', text: 'the rain again' });
    expect((await mneme.get('b')).text).toBe('the rain again');
    expect((await mneme.count()).count).toBe(3);
  });

  it('Import with replace › makes it whole', async () => {
    await mneme.importMemories([{ id: 'b', text: 'the rain of b' }], { conflictPolicy: 'replace' });
    expect((await mneme.get('b')).text).toBe('the rain of b');
    expect((await mneme.listPage()).damagedIds).toEqual([]);
  });

  it('Demote › DATA_LOSS names it; others are moved', async () => {
    await expect(mneme.demote(['b'], { toTier: 'long_term' })).rejects.toThrow(DataLossError);
    await mneme.demote(['a', 'c'], { toTier: 'long_term' });
    expect((await mneme.get('a')).tier).toBe('long_term');
  });

  it('Forget › erases it with the rest', async () => {
    expect((await mneme.forget({ all: true })).forgottenCount).toBe(3);
    expect((await mneme.listPage()).memories).toEqual([]);
  });
});

describe('X2 a memory whose vector is lost is damaged where it is read with it', () => {
  it('Get and List in the full view › damaged, other views are whole', async () => {
    await mneme.store({ id: 'v', text: 'snow', embedding: { model: 'm', values: Float32Array.of(0.6, 0.8) } });
    lose("DELETE FROM memory_vector WHERE pk = (SELECT pk FROM memory WHERE id = 'v')");
    await expect(mneme.get('v', { view: 'full' })).rejects.toThrow(DataLossError);
    expect((await mneme.get('v')).text).toBe('snow');
    expect((await mneme.listPage({ view: 'full' })).damagedIds).toEqual(['v']);
    expect((await mneme.listPage()).damagedIds).toEqual([]);
    await mneme.delete('v');
    expect((await mneme.listPage({ view: 'full' })).damagedIds).toEqual([]);
  });
});
