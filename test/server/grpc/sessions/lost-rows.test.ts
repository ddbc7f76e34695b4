import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { DataLossError, type Mneme } from '../../../../clients/typescript/src/index.ts';
import { repairFolder } from '../../../../src/storage/sqlite/damage/repair.ts';
import { verifyFolder } from '../../../../src/storage/sqlite/damage/verify.ts';
import { databaseFileIn, openWritable } from '../../../../src/storage/sqlite/database.ts';
import { collect } from '../../../client/support/collect.ts';
import { startServer, type TrialServer } from '../../../fault/damage/server.ts';

let folder: string;
let template: string;
let copies = 0;
let server: TrialServer | undefined;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-lost-session-rows-'));
  template = join(folder, 'template');
  const made = await startServer(template);
  const space = made.mneme.withNamespace('space');
  const session = space.session('s');
  for (const key of ['a', 'b', 'c']) await session.set(key, { of: key });
  for (const note of ['first', 'second', 'third']) await session.appendScratchpad(note);
  await session.createCheckpoint({ checkpointId: 'one' });
  await session.set('d', { of: 'd' });
  await session.createCheckpoint({ checkpointId: 'two' });
  await space.session('whole').set('k', 1);
  await made.stop();
});
afterEach(async () => {
  await server?.stop();
  server = undefined;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A copy of the folder as a disk leaves it that acknowledged a write and lost it. */
function lose(sql: string): string {
  const copy = join(folder, `copy-${copies++}`);
  cpSync(template, copy, { recursive: true });
  const database = openWritable(databaseFileIn(copy));
  try {
    expect(database.prepare(sql).run().changes).toBeGreaterThan(0);
  } finally {
    database.close();
  }
  return copy;
}

async function serve(data: string): Promise<Mneme> {
  server = await startServer(data);
  return server.mneme.withNamespace('space');
}

const DAMAGED = {
  name: 'DataLossError',
  reason: 'CHECKSUM_MISMATCH',
  metadata: { name: 'namespaces/space/sessions/s' },
};
const all = collect;

describe('X2 rows of a session that are lost are damage, in every read', () => {
  it('a key › DATA_LOSS where it would be missing; other keys and sessions are read', async () => {
    const mneme = await serve(lose("DELETE FROM session_entry WHERE key = 'b'"));
    const session = mneme.session('s');
    await expect(session.get('b')).rejects.toMatchObject(DAMAGED);
    await expect(session.get('never-set')).rejects.toMatchObject(DAMAGED);
    await expect(session.batchGet(['a', 'b'])).rejects.toMatchObject(DAMAGED);
    await expect(all(session.listKeys())).rejects.toMatchObject(DAMAGED);
    await expect(all(session.getAll())).rejects.toMatchObject(DAMAGED);
    // Counters, which omit nothing: what was acknowledged.
    expect(await session.getStatistics()).toMatchObject({ keyCount: 4 });
    await expect(session.createCheckpoint({ checkpointId: 'three' })).rejects.toThrow(DataLossError);
    await expect(session.restoreCheckpoint('two', { mode: 'merge' })).rejects.toThrow(DataLossError);
    expect((await session.get('a'))?.value.json()).toEqual({ of: 'a' });
    expect(await mneme.session('whole').batchGet(['k', 'x'])).toMatchObject({ missing: ['x'] });
  });

  it('a checkpoint that replaces everything, or clear › the session is whole again', async () => {
    const mneme = await serve(lose("DELETE FROM session_entry WHERE key IN ('a', 'd')"));
    const session = mneme.session('s');
    await session.restoreCheckpoint('two');
    expect((await session.get('d'))?.value.json()).toEqual({ of: 'd' });
    expect((await all(session.listKeys())).length).toBe(4);
    expect(await session.getStatistics()).toMatchObject({ keyCount: 4, noteCount: 3 });
    await session.clear({ clearScratchpad: true });
    expect(await session.getStatistics()).toMatchObject({ keyCount: 0, noteCount: 0 });
  });

  it('a note › DATA_LOSS in lists of the scratchpad and in a new checkpoint', async () => {
    const mneme = await serve(lose('DELETE FROM session_note WHERE sequence = 2'));
    const session = mneme.session('s');
    await expect(all(session.listScratchpad())).rejects.toMatchObject(DAMAGED);
    await expect(session.createCheckpoint({ checkpointId: 'three' })).rejects.toThrow(DataLossError);
    await session.clearScratchpad();
    expect(await all(session.listScratchpad())).toEqual([]);
  });

  it('a checkpoint, its manifest, its pack › DATA_LOSS instead of NOT_FOUND', async () => {
    const row = await serve(lose("DELETE FROM session_checkpoint WHERE id = 'one'"));
    await expect(row.session('s').getCheckpoint('one')).rejects.toMatchObject(DAMAGED);
    await expect(all(row.session('s').listCheckpoints())).rejects.toMatchObject(DAMAGED);
    expect(await row.session('s').getCheckpoint('two')).toMatchObject({ keyCount: 4 });
    await server?.stop();
    for (const sql of ["DELETE FROM session_manifest WHERE id = 'one'", 'DELETE FROM session_pack']) {
      const mneme = await serve(lose(sql));
      await expect(mneme.session('s').restoreCheckpoint('one')).rejects.toMatchObject({
        metadata: { name: 'namespaces/space/sessions/s checkpoint one' },
      });
      await server?.stop();
    }
  });

  it('verify names them, and repair keeps the rest', async () => {
    for (const [sql, problem] of [
      ["DELETE FROM session_entry WHERE key = 'b'", 'it has 3 of 4 keys'],
      ['DELETE FROM session_note WHERE sequence = 2', 'it has 2 of 3 notes'],
      ["DELETE FROM session_checkpoint WHERE id = 'one'", 'it has 1 of 2 checkpoints'],
      ["DELETE FROM session_manifest WHERE id = 'two'", 'checkpoint two cannot be restored'],
    ] as const) {
      const data = lose(sql);
      expect(verifyFolder(data).sessions).toMatchObject([{ namespace: 'space', session: 's', problem }]);
      expect(repairFolder({ folder: data, nowMs: 0 })).toMatchObject({ wasWhole: false, sessions: [{ problem }] });
      expect(verifyFolder(data)).toMatchObject({ tables: [], sessions: [], memories: [] });
      const session = (await serve(data)).session('s');
      expect((await all(session.getAll())).length + (await all(session.listScratchpad())).length).toBeGreaterThan(5);
      await server?.stop();
    }
  });

  it('the record of a session › verify says that contents are there without it', () => {
    const data = lose("DELETE FROM session WHERE id = 's'");
    expect(verifyFolder(data).tables).toEqual([
      { name: 'session', problem: '1 sessions are lost whose contents are there' },
    ]);
    expect(repairFolder({ folder: data, nowMs: 0 }).tables).toEqual(['session']);
    expect(verifyFolder(data).tables).toEqual([]);
  });
});
