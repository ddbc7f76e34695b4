import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Migrated, type MigrationOptions, migrateToPostgres } from '../../src/server/assembly/migrate-store.ts';
import { configFrom } from '../../src/server/config/config.ts';
import type { Kind } from '../../src/storage/migration/portable.ts';
import { verifyFolder } from '../../src/storage/sqlite/damage/verify.ts';
import { sized } from '../support/all-tests.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { seededRandom } from '../support/random.ts';
import { startServer } from './damage/server.ts';
import { linesOfKilled } from './killed-writer.ts';
import { fillFolder } from './migrate-contents.ts';

const CHILD = join(import.meta.dirname, 'migrate-child.ts');
/** More than two pages of memories and of changes. */
const COUNT = 1200;
/** Pages and steps of a whole migration, about. */
const MOMENTS = 26;
const ROUNDS = sized({ sample: 2, nightly: 8 });

let folder = '';
let data = '';
let postgres: PostgresServer;
let whole: Migrated;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-migrate-crash-'));
  postgres = await PostgresServer.started({ parameters: { fsync: 'off' } });
  data = join(folder, 'data');
  const server = await startServer(data);
  await fillFolder(server.mneme);
  const many = Array.from({ length: COUNT }, (_, n) => ({ id: `m${n}`, text: `text ${n}` }));
  for (let at = 0; at < COUNT; at += 300) await server.mneme.batchStore(many.slice(at, at + 300));
  await server.stop();
  whole = await migrateToPostgres(optionsOf(copyOf('whole'), 'whole'));
}, 120_000);
afterAll(async () => {
  await postgres.stop();
  postgres.remove();
  rmSync(folder, { recursive: true });
});

function optionsOf(of: string, schema: string): MigrationOptions {
  const env = postgres.envOf(schema);
  return { config: configFrom({ flags: { data: of }, env }), term: randomUUID(), nowMs: Date.now, sleep };
}

function copyOf(name: string): string {
  const copy = join(folder, name);
  cpSync(data, copy, { recursive: true });
  return copy;
}

/** Kills the migration again and again, a little later each time; returns the number of kills. */
async function killedUntilDone(to: 'postgres' | 'folder', of: string, schema: string, first: number): Promise<number> {
  const log = `${of}-${to}.log`;
  for (let kills = 0; ; kills++) {
    const lines = await linesOfKilled(CHILD, [to, of, postgres.url, schema, log, String(first + kills * 3)], log);
    if (lines.at(-1) === 'end') return kills;
    if (lines.at(-1) === 'finished') return kills + 1;
    expect(existsSync(join(of, 'migrated.json')) && !lines.includes('verified')).toBe(false);
  }
}

const sumsOf = ({ compared }: Migrated) =>
  compared.map(({ kind, namespace, source, isEqual }) => [kind, namespace, source, isEqual]);

describe('a migration that is killed', () => {
  const random = seededRandom('migrate-crash');
  it.each(Array.from({ length: ROUNDS }, (_, n) => [n, random.int(MOMENTS)] as const))(
    'round %d, first after %d moments › resumed there and back: every checksum as without a kill',
    async (round, first) => {
      const schema = `round_${round}`;
      const [of, back] = [copyOf(`round-${round}`), join(folder, `back-${round}`)];
      const kills = await killedUntilDone('postgres', of, schema, first);
      expect(kills).toBeGreaterThan(0);
      expect(existsSync(join(of, 'migrated.json'))).toBe(true);
      await killedUntilDone('folder', back, schema, first);
      expect(existsSync(join(back, 'mneme.db'))).toBe(true);
      const { tables, memories } = verifyFolder(back);
      expect([tables, memories]).toEqual([[], []]);
      // The folder that came back has what the first one had.
      const again = await migrateToPostgres(optionsOf(back, `again_${round}`));
      expect(sumsOf(again)).toEqual(sumsOf(whole));
    },
    120_000,
  );

  it('PostgreSQL restarted midway › the migration goes on', async () => {
    const of = copyOf('restarted');
    let pages = 0;
    let restarting: Promise<void> | undefined;
    const restart = async () => {
      await postgres.kill();
      await postgres.start();
    };
    const onPage = (kind: Kind) => {
      if (kind === 'memory' && ++pages === 2) restarting = restart();
    };
    const done = await migrateToPostgres({ ...optionsOf(of, 'restarted'), onPage });
    await restarting;
    expect(restarting).toBeDefined();
    expect(sumsOf(done)).toEqual(sumsOf(whole));
  }, 120_000);
});
