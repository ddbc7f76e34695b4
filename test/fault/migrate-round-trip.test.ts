import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect, type Mneme } from '../../clients/typescript/src/index.ts';
import { runMneme } from '../cli/support/run-mneme.ts';
import { serveMneme } from '../cli/support/serve-mneme.ts';
import { PATIENT } from '../client/support/clean-up.ts';
import { POSTGRES_VERSIONS, PostgresServer, type PostgresVersion } from '../support/postgres-server.ts';
import { fillFolder, nextDelivered, readFolder } from './migrate-contents.ts';

let folder = '';
const servers = new Map<PostgresVersion, PostgresServer>();
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-migrate-'));
  for (const version of POSTGRES_VERSIONS) {
    servers.set(version, await PostgresServer.started({ version, parameters: { fsync: 'off' } }));
  }
}, 120_000);
afterAll(async () => {
  for (const server of servers.values()) {
    await server.stop();
    server.remove();
  }
  rmSync(folder, { recursive: true });
});

const envOf = (version: PostgresVersion, schema: string) => ({
  MNEME_POSTGRES_URL: servers.get(version)?.url ?? '',
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

async function migrated(to: 'postgres' | 'folder', data: string, env: Record<string, string>): Promise<string> {
  const { code, stdout, stderr } = await runMneme(['migrate', '--to', to, '--data', data], { env });
  expect([stderr, code]).toEqual(['', 0]);
  expect(stdout).toContain('every checksum is equal');
  return stdout;
}

/** Checksums by namespace and kind. */
const sumsIn = (output: string) => output.split('\n').filter((line) => /[0-9a-f]{16}$/.test(line));

describe('mneme migrate', () => {
  it.each(POSTGRES_VERSIONS)(
    'PostgreSQL %d › a folder with everything, there and back: clients read the same',
    async (version) => {
      const [data, back] = [join(folder, `data-${version}`), join(folder, `back-${version}`)];
      const env = envOf(version, 'everything');
      await withServer(data, {}, fillFolder);
      const before = await withServer(data, {}, readFolder);
      const moved = await migrated('postgres', data, env);
      expect(await withServer(join(folder, `view-${version}`), env, readFolder)).toEqual(before);
      const returned = await migrated('folder', back, env);
      expect(sumsIn(returned).length).toBeGreaterThan(20);
      expect(await withServer(back, {}, readFolder)).toEqual(before);
      expect((await runMneme(['verify', '--data', back])).code).toBe(0);
      expect(sumsIn(moved).filter((line) => / (memory|change|kept|pack|event) /.test(line)).length).toBeGreaterThan(5);
      // Consumers go on behind what they have acknowledged.
      for (const id of ['feed', 'jobs']) {
        expect(await withServer(back, {}, (mneme) => nextDelivered(mneme, id))).toContain('unread');
      }
    },
    300_000,
  );

  it('namespaces that have used the same revisions › each keeps its order in a folder', async () => {
    const env = envOf(18, 'collisions');
    const [one, other] = [join(folder, 'one'), join(folder, 'other')];
    const first = await serveMneme({ data: one, env, flags: ['--embedder', 'none'] });
    const second = await serveMneme({ data: other, env, flags: ['--embedder', 'none'] });
    const [a, b] = [connect(first.address, PATIENT), connect(second.address, PATIENT)];
    const spaces = [a.withNamespace('a'), b.withNamespace('b')];
    for (let round = 0; round < 20; round++) {
      await Promise.all(
        spaces.map(async (mneme) => {
          if (round < 5) await mneme.store({ id: `m${round}`, text: `text ${round}` });
          else await mneme.update(`m${round % 5}`, { text: `text ${round}` });
          await mneme.lifecycle.spawn({ sessionId: `s${round}` });
        }),
      );
    }
    const read = async (mneme: Mneme) => {
      const texts: unknown[] = [];
      for await (const { memory } of mneme.listRevisions('m0')) texts.push(memory.text);
      let events = 0;
      for await (const _ of mneme.lifecycle.watchEvents({ start: 'oldest' })) if (++events === 20) break;
      return { texts, events };
    };
    const before = await Promise.all(spaces.map(read));
    await Promise.all([a.close(), b.close()]);
    await Promise.all([first.stop(), second.stop()]);
    const back = join(folder, 'apart');
    await migrated('folder', back, env);
    expect(
      await withServer(back, {}, (mneme) => Promise.all(['a', 'b'].map((name) => read(mneme.withNamespace(name))))),
    ).toEqual(before);
    // And there again, from the folder.
    await migrated('postgres', back, envOf(18, 'collisions_back'));
  }, 300_000);
});
