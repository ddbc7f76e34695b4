import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { connect, type Mneme } from '../../clients/typescript/src/index.ts';
import { runMneme } from '../cli/support/run-mneme.ts';
import { startMneme } from '../cli/support/start-mneme.ts';
import { PATIENT } from '../client/support/clean-up.ts';
import { type Backend, type BackendOfServer, startBackend } from './backend-of-server.ts';

const COUNT = 200;
/** One line. */
const NOT_IN_IT = /^mneme: sessions, lifecycle events and subscriptions in Redis are not in the backup: .*\n$/;
const FLAGS = ['--ranker', 'fusion'];

let folder: string;
const backends: BackendOfServer[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-backup-redis-'));
});
afterEach(async () => {
  for (const backend of backends.splice(0)) await backend.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function backendOf(kind: Backend): Promise<BackendOfServer> {
  const backend = await startBackend(kind);
  backends.push(backend);
  return backend;
}

/** Text and tier of each memory, by name, and the first hits of a recall. */
async function contentsOf(mneme: Mneme) {
  const memories = new Map<string, string>();
  for (const space of [mneme, mneme.withNamespace('other')]) {
    for await (const { name, text, tier } of space.list()) memories.set(name, `${tier}: ${text}`);
  }
  const { hits } = await mneme.recall({ text: 'number 7 of the harbour', limit: 5, weights: { recency: 0 } });
  return { memories, hits: hits.map(({ memory }) => memory.id) };
}

async function fill(mneme: Mneme): Promise<void> {
  await mneme.batchStore(
    Array.from({ length: COUNT }, (_, n) => ({ id: `m${n}`, text: `number ${n} of the harbour` })),
  );
  await mneme.demote(['m1', 'm2'], { toTier: 'long_term' });
  await mneme.demote(['m3'], { toTier: 'intermediate' });
  await mneme.update('m4', { text: 'number 4 of the garden' });
  await mneme.withNamespace('other').store({ id: 'one', text: 'of another namespace' });
}

describe.each<Backend>(['Redis', 'shared Redis'])('backup of a server with %s', (kind) => {
  it('killed right after its last write › restored without Redis, and with an empty one, it has all tiers', async () => {
    const redis = await backendOf(kind);
    const data = join(folder, 'data');
    const backups = join(folder, 'backups');
    const server = await startMneme({ data, flags: FLAGS, env: redis.env });
    const mneme = connect(server.address, PATIENT);
    await fill(mneme);
    const made = await runMneme(['backup', backups, '--data', data, '--after-copies', '--server', server.address]);
    expect([made.code, made.stderr]).toEqual([0, expect.stringMatching(NOT_IN_IT)]);
    expect(made.stderr).toMatch(/back up Redis itself for them, after the data folder \(docs\/backup\.md\)\n$/);
    const expected = await contentsOf(mneme);
    expect(expected.memories.size).toBe(COUNT + 1);
    await mneme.close();
    await server.stop('SIGKILL');
    await backends.shift()?.stop();

    for (const next of ['a data folder', kind] as const) {
      const restored = join(folder, `restored-${next}`);
      const { code, stderr } = await runMneme(['restore', backups, '--data', restored]);
      expect([code, stderr]).toEqual([0, expect.stringMatching(NOT_IN_IT)]);
      const { env } = await backendOf(next);
      for (const start of ['first', 'second']) {
        const other = await startMneme({ data: restored, flags: FLAGS, env, isQuiet: true });
        const client = connect(other.address, PATIENT);
        expect({ next, start, ...(await contentsOf(client)) }).toEqual({ next, start, ...expected });
        await client.store({ id: `${start}-new`, text: 'stored after the restore' });
        await client.delete(`${start}-new`);
        await client.close();
        await other.stop();
      }
    }
  }, 120_000);
});
