import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { compareTexts } from '../../src/memory/values.ts';
import { repairFolder } from '../../src/storage/sqlite/damage/repair.ts';
import { verifyFolder } from '../../src/storage/sqlite/damage/verify.ts';
import { databaseFileIn, openWritable } from '../../src/storage/sqlite/database.ts';
import { collect } from '../client/support/collect.ts';
import { startServer, type TrialServer } from './damage/server.ts';

const COUNT = 20;
const ids = Array.from({ length: COUNT }, (_, n) => `m${n}`).sort(compareTexts);

let folder: string;
let template: string;
let start: { revision: number };
let copies = 0;
let server: TrialServer | undefined;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-lost-log-'));
  template = join(folder, 'template');
  const made = await startServer(template);
  const space = made.mneme.withNamespace('space');
  start = await space.store({ id: 'm0', text: 'heron number 0' });
  for (const id of ids) if (id !== 'm0') await space.store({ id, text: `heron number ${id}` });
  await made.stop();
});
afterEach(async () => {
  await server?.stop();
  server = undefined;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A copy of the folder as a disk leaves it that acknowledged writes and lost them. */
function lose(...statements: string[]): string {
  const copy = join(folder, `copy-${copies++}`);
  cpSync(template, copy, { recursive: true });
  const database = openWritable(databaseFileIn(copy));
  try {
    for (const sql of statements) expect(database.prepare(sql).run().changes).toBeGreaterThan(0);
  } finally {
    database.close();
  }
  return copy;
}

const MIDDLE = 'DELETE FROM change_log WHERE revision BETWEEN 8 AND 11';
const NEWEST = 'DELETE FROM change_log WHERE revision > (SELECT max(revision) - 3 FROM change_log)';

describe('X2 entries of the change log that are lost', () => {
  it.each([
    ['in the middle', MIDDLE],
    ['the newest', NEWEST],
  ])('%s › watches begin anew as after compaction, the health names it, recall finds everything', async (_, sql) => {
    const data = lose(sql);
    expect(verifyFolder(data).tables).toEqual([
      { name: 'change_log', problem: expect.stringMatching(/^entries up to revision \d+ are lost$/) },
    ]);
    server = await startServer(data);
    const mneme = server.mneme.withNamespace('space');
    const watch = mneme.watch({ startRevision: start.revision });
    expect((await watch.next()).value).toMatchObject({ kind: 'relisting' });
    await watch.return(undefined);
    const { hits } = await mneme.recall({ text: 'heron', limit: COUNT, minRelevance: 0 });
    expect(hits.map(({ memory }) => memory.id).sort(compareTexts)).toEqual(ids);
    expect((await server.mneme.admin.getServerInfo()).degraded).toEqual([
      'data folder: entries of the change log were lost before this start; watches and subscriptions begin anew',
    ]);
    await mneme.store({ id: 'later', text: 'later' });
    expect((await mneme.count()).count).toBe(COUNT + 1);
  });

  it('of memories whose upkeep was left to a later transaction › they are listed and found', async () => {
    const data = join(folder, 'unsettled');
    const running = await startServer(data);
    await running.mneme.withNamespace('space').store({ id: 'first', text: 'heron number 1' });
    await running.mneme.withNamespace('space').list({}).next();
    await running.mneme.withNamespace('space').store({ id: 'second', text: 'heron number 2' });
    const copy = join(folder, 'unsettled-copy');
    cpSync(data, copy, { recursive: true });
    await running.stop();
    const database = openWritable(databaseFileIn(copy));
    database.prepare('DELETE FROM change_log WHERE revision = (SELECT max(revision) FROM change_log)').run();
    database.prepare(`UPDATE meta SET value = value + 1 WHERE key = 'revision' AND value < 3`).run();
    database.close();
    server = await startServer(copy);
    const mneme = server.mneme.withNamespace('space');
    expect((await collect(mneme.list())).map(({ id }) => id).sort()).toEqual(['first', 'second']);
    expect((await mneme.recall({ text: 'heron', limit: 5, minRelevance: 0 })).hits.length).toBe(2);
  });

  it('repair › the log is whole again, and its readers begin anew', () => {
    const data = lose(MIDDLE);
    expect(repairFolder({ folder: data, nowMs: 0 })).toMatchObject({
      wasWhole: false,
      tables: ['change_log'],
      lost: [],
    });
    expect(verifyFolder(data)).toMatchObject({ tables: [], sessions: [], memories: [] });
  });

  it('a memory that the index of words lacks › verify counts it, and repair makes the index anew', () => {
    const data = lose('DELETE FROM memory_words WHERE rowid = (SELECT max(pk) FROM memory)');
    expect(verifyFolder(data).tables).toEqual([
      { name: 'memory_words', problem: '1 memories are not in the index of words' },
    ]);
    expect(repairFolder({ folder: data, nowMs: 0 })).toMatchObject({ wasWhole: false, tables: [], lost: [] });
    expect(verifyFolder(data).tables).toEqual([]);
  });
});
