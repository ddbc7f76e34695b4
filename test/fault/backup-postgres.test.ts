import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { connect, type Mneme } from '../../clients/typescript/src/index.ts';
import { runMneme } from '../cli/support/run-mneme.ts';
import { serveMneme } from '../cli/support/serve-mneme.ts';
import { PATIENT } from '../client/support/clean-up.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { fillFolder, readFolder } from './migrate-contents.ts';

const SECRET = 'secret-of-the-role';

let folder = '';
let postgres: PostgresServer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-backup-postgres-'));
  postgres = await PostgresServer.started({ version: 18, parameters: { fsync: 'off' } });
}, 120_000);
afterAll(async () => {
  await postgres.stop();
  postgres.remove();
  rmSync(folder, { recursive: true });
});

const envOf = (schema: string) => ({
  MNEME_POSTGRES_URL: postgres.url.replace('@', `:${SECRET}@`),
  MNEME_POSTGRES_SCHEMA: schema,
});

async function withServer<T>(data: string, env: Record<string, string>, use: (mneme: Mneme) => Promise<T>): Promise<T> {
  const server = await serveMneme({ data, env, flags: ['--embedder', 'none'] });
  const mneme = connect(server.address, PATIENT);
  try {
    return await use(mneme);
  } finally {
    await mneme.close();
    await server.stop();
  }
}

async function backUp(path: string, env: Record<string, string>): Promise<{ packBytes: number; memoryCount: number }> {
  const { code, stdout, stderr } = await runMneme(['backup', path, '--json'], { env });
  expect([stderr, code]).toEqual(['', 0]);
  return JSON.parse(stdout) as { packBytes: number; memoryCount: number };
}

/** The numbers of the stored memories `w0`, `w1`, … */
async function writtenIn(mneme: Mneme): Promise<number[]> {
  const numbers: number[] = [];
  for await (const { id } of mneme.withNamespace('writes').list()) numbers.push(Number(id.slice(1)));
  return numbers.sort((one, other) => one - other);
}

/** Texts of the revisions of a memory. */
async function textsOf(mneme: Mneme, id: string): Promise<unknown[]> {
  const texts: unknown[] = [];
  for await (const { memory } of mneme.listRevisions(id)) texts.push(memory.text);
  return texts;
}

/** Deletes what is before the beginnings of the logs. */
const CUT = 'DELETE FROM change_log c USING namespace n WHERE n.key = c.namespace_key AND c.revision <= n.log_start';

async function sql(schema: string, ...statements: string[]): Promise<void> {
  const client = new Client(postgres.url);
  await client.connect();
  try {
    await client.query(`SET search_path = ${schema}`);
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

describe('mneme backup with MNEME_POSTGRES_URL', () => {
  it('everything › restored into a folder, and from there into PostgreSQL: clients read the same', async () => {
    const [env, backups] = [envOf('everything'), join(folder, 'backups')];
    const { before, first, second } = await withServer(join(folder, 'view'), env, async (mneme) => {
      await fillFolder(mneme);
      const read = await readFolder(mneme);
      return { before: read, first: await backUp(backups, env), second: await backUp(backups, env) };
    });
    expect(second.memoryCount).toBe(first.memoryCount);
    expect((await runMneme(['backup', 'verify', backups])).code).toBe(0);
    const restored = join(folder, 'restored');
    expect((await runMneme(['restore', backups, '--data', restored])).code).toBe(0);
    expect(await withServer(restored, {}, readFolder)).toEqual(before);
    const other = envOf('restored');
    expect((await runMneme(['migrate', '--to', 'postgres', '--data', restored], { env: other })).code).toBe(0);
    expect(await withServer(join(folder, 'other-view'), other, readFolder)).toEqual(before);
  }, 240_000);

  it('while writes go on › every write acknowledged before it, and none without those before', async () => {
    const [env, backups] = [envOf('online'), join(folder, 'online')];
    await withServer(join(folder, 'online-view'), env, async (mneme) => {
      const writes = mneme.withNamespace('writes');
      let count = 0;
      let isOver = false;
      const writing = (async () => {
        while (!isOver) await writes.store({ id: `w${count++}`, text: `write ${count}` });
      })();
      for (let round = 0; round < 3; round++) {
        const acknowledged = count - 1;
        await backUp(backups, env);
        const restored = join(folder, `online-${round}`);
        const { code } = await runMneme(['restore', backups, '--data', restored]);
        expect(code).toBe(0);
        const numbers = await withServer(restored, {}, writtenIn);
        expect(numbers.length).toBeGreaterThanOrEqual(acknowledged);
        expect(numbers).toEqual(numbers.map((_, at) => at));
      }
      isOver = true;
      await writing;
    });
  }, 240_000);

  it('a log that was cut at an update › the former states before it are in the backup', async () => {
    const [env, backups] = [envOf('cut'), join(folder, 'cut')];
    const texts = await withServer(join(folder, 'cut-view'), env, async (mneme) => {
      const [whole, cut] = [mneme.withNamespace('whole'), mneme.withNamespace('cut')];
      await whole.store({ id: 'a', text: 'not changed' });
      await cut.store({ id: 'b', text: 'first' });
      await cut.update('b', { text: 'second' });
      await cut.update('b', { text: 'third' });
      return textsOf(cut, 'b');
    });
    // As the limits of the change log do, up to the first update.
    await sql(
      'cut',
      `UPDATE namespace SET log_start = (SELECT max(revision) FROM memory_revision) WHERE name = 'cut'`,
      CUT,
    );
    await backUp(backups, env);
    const restored = join(folder, 'cut-restored');
    expect((await runMneme(['restore', backups, '--data', restored])).code).toBe(0);
    expect((await runMneme(['verify', '--data', restored])).code).toBe(0);
    expect(await withServer(restored, {}, (mneme) => textsOf(mneme.withNamespace('cut'), 'b'))).toEqual(texts);
  }, 120_000);

  it('logs that were cut, with the same revisions in two namespaces › every change is in the backup', async () => {
    const [env, backups] = [envOf('ranges'), join(folder, 'ranges')];
    const texts = await withServer(join(folder, 'ranges-view'), env, async (mneme) => {
      const changed = mneme.withNamespace('changed');
      await changed.store({ id: 'b', text: 'first' });
      for (const text of ['second', 'third', 'fourth']) await changed.update('b', { text });
      await mneme.namespaces.create('empty');
      for (const description of ['one', 'two']) await mneme.namespaces.update('empty', { description });
      return textsOf(changed, 'b');
    });
    // The log of the empty namespace has its two newest entries, at the revisions of the newest two of the other one.
    const newest = `(SELECT log_revision FROM namespace WHERE name = 'changed')`;
    const empty = `namespace_key = (SELECT key FROM namespace WHERE name = 'empty')`;
    await sql(
      'ranges',
      `DELETE FROM change_log WHERE ${empty} AND revision <=
        (SELECT revision FROM change_log WHERE ${empty} ORDER BY revision DESC OFFSET 2 LIMIT 1)`,
      `UPDATE change_log c SET revision = 1000000 + ${newest} - n FROM (SELECT revision AS former,
        row_number() OVER (ORDER BY revision DESC) - 1 AS n FROM change_log WHERE ${empty}) s
        WHERE ${empty} AND revision = former`,
      `UPDATE change_log SET revision = revision - 1000000 WHERE ${empty}`,
      `UPDATE namespace SET revision = ${newest}, log_revision = ${newest}, log_start = ${newest} - 2 WHERE name = 'empty'`,
      `UPDATE namespace SET log_start = ${newest} - 1 WHERE name = 'changed'`,
      CUT,
    );
    await backUp(backups, env);
    const restored = join(folder, 'ranges-restored');
    expect((await runMneme(['restore', backups, '--data', restored])).code).toBe(0);
    expect(await withServer(restored, {}, (mneme) => textsOf(mneme.withNamespace('changed'), 'b'))).toEqual(texts);
  }, 120_000);

  it('--at a revision of a namespace › all namespaces as they were then', async () => {
    const [env, backups, restored] = [envOf('point'), join(folder, 'points'), join(folder, 'point-restored')];
    const revision = await withServer(join(folder, 'point-view'), env, async (mneme) => {
      await mneme.withNamespace('one').store({ id: 'a', text: 'first' });
      const done = await mneme.withNamespace('two').store({ id: 'b', text: 'b' });
      await mneme.withNamespace('one').update('a', { text: 'second' });
      // Changes in the same millisecond are not told apart.
      await mneme.withNamespace('two').store({ id: 'c', text: 'c' });
      return done.revision;
    });
    await backUp(backups, env);
    const restore = ['restore', backups, '--data', restored, '--at', `two@${revision}`];
    const { code, stdout, stderr } = await runMneme([...restore, '--json']);
    expect([stderr, code]).toEqual(['', 0]);
    const time = expect.stringMatching(/^\d{4}-.*Z$/);
    expect(JSON.parse(stdout)).toMatchObject({ number: 1, rewound: { revision, time, erasedCount: 1 } });
    await withServer(restored, {}, async (mneme) => {
      expect((await mneme.withNamespace('two').get('b')).text).toBe('b');
      await expect(mneme.withNamespace('two').get('c')).rejects.toMatchObject({ reason: 'MEMORY_NOT_FOUND' });
    });
  }, 120_000);

  it('sessions in Redis › not in the backup, which is said when it is made, and when it is restored', async () => {
    const [env, backups] = [envOf('with_redis'), join(folder, 'with-redis')];
    await withServer(join(folder, 'with-redis-view'), env, (mneme) => mneme.store({ text: 'in PostgreSQL' }));
    await sql('with_redis', `INSERT INTO session_home(mark) VALUES ('a')`);
    const made = await runMneme(['backup', backups], { env });
    const what = 'mneme: sessions and lifecycle events are in Redis, and not in the backup';
    expect([made.code, made.stderr]).toEqual([
      0,
      `${what}: back up Redis itself for them, before PostgreSQL (docs/backup.md)\n`,
    ]);
    const restored = await runMneme(['restore', backups, '--data', join(folder, 'without-redis')]);
    expect([restored.code, restored.stderr]).toEqual([0, `${what}: restore Redis itself for them (docs/backup.md)\n`]);
  }, 120_000);

  it('refusals › one line without the password', async () => {
    const env = envOf('online');
    const refused = async (args: string[], given: Record<string, string>) => {
      const { code, stderr } = await runMneme(args, { env: given });
      expect([code, stderr.trimEnd().split('\n').length]).toEqual([1, 1]);
      expect(stderr).not.toContain(SECRET);
      return stderr;
    };
    const away = { MNEME_POSTGRES_URL: `postgresql://u:${SECRET}@127.0.0.1:9/d` };
    expect(await refused(['backup', join(folder, 'x')], away)).toMatch(/no connection to PostgreSQL/);
    expect(await refused(['backup', join(folder, 'x')], envOf('missing'))).toMatch(/schema missing .* has no tables/);
    const at = ['restore', join(folder, 'online'), '--data', join(folder, 'point'), '--at', '3'];
    expect(await refused(at, env)).toMatch(/whose revisions are of namespaces: name one, such as --at default@3/);
    const view = ['backup', join(folder, 'x'), '--data', join(folder, 'online-view')];
    expect(await refused(view, env)).toMatch(/is a view of PostgreSQL .*: set MNEME_POSTGRES_URL/);
    expect(readFileSync(join(folder, 'online-view', 'view.json'), 'utf8')).toContain('records');
  }, 120_000);
});
