import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from '../../clients/typescript/src/index.ts';
import { type RunningMneme, startMneme } from '../cli/support/start-mneme.ts';
import { PATIENT_CLIENT } from '../support/patient.ts';
import { PostgresServer } from '../support/postgres-server.ts';

let postgres: PostgresServer;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-ready-'));
  postgres = await PostgresServer.started({ parameters: { fsync: 'off' } });
}, 120_000);
afterAll(async () => {
  await postgres.stop();
  postgres.remove();
  await rm(folder, { recursive: true, force: true });
});

/** Tables of sentence encoders that the process has read: each is a file without a name. */
async function encodersOf({ pid }: RunningMneme): Promise<number> {
  const files = `/proc/${pid}/fd`;
  const links = await Promise.all((await readdir(files)).map((file) => readlink(join(files, file)).catch(() => '')));
  return links.filter((link) => link.includes('encoder.tmp')).length;
}

const FLAGS = ['--embedder', 'none', '--search-threads', '2'];
const start = (name: string, env: Record<string, string>) =>
  startMneme({ data: join(folder, name), flags: FLAGS, env, isQuiet: true });

describe('a server that takes calls', () => {
  it('over PostgreSQL, new or after a kill › has read the sentence encoder in each search thread', async () => {
    const env = { MNEME_POSTGRES_URL: postgres.url };
    let server = await start('view', env);
    expect(await encodersOf(server)).toBe(2);
    const mneme = connect(server.address, PATIENT_CLIENT);
    await mneme.store({ text: 'the cat sleeps on the sofa' });
    await mneme.close();
    await server.stop('SIGKILL');
    server = await start('view', env);
    expect(await encodersOf(server)).toBe(2);
    await server.stop();
  }, 240_000);

  it('with memories of its own › has read no encoder until a recall needs it', async () => {
    const server = await start('own', {});
    const mneme = connect(server.address, PATIENT_CLIENT);
    await mneme.store({ text: 'the cat sleeps on the sofa' });
    expect(await encodersOf(server)).toBe(0);
    await mneme.recall('where does the cat sleep');
    expect(await encodersOf(server)).toBe(1);
    await mneme.close();
    await server.stop();
  }, 240_000);
});
