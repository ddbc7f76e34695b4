import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runMneme } from '../cli/support/run-mneme.ts';
import { type RunningMneme, startMneme } from '../cli/support/start-mneme.ts';
import { PostgresServer } from '../support/postgres-server.ts';

let postgres: PostgresServer;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-postgres-start-'));
  postgres = await PostgresServer.started({ parameters: { fsync: 'off' } });
}, 120_000);
afterAll(async () => {
  await postgres.stop();
  postgres.remove();
  await rm(folder, { recursive: true, force: true });
});

const FLAGS = ['--embedder', 'none'];

async function withServer<T>(data: string, env: Record<string, string>, work: (server: RunningMneme) => Promise<T>) {
  const server = await startMneme({ data, flags: FLAGS, env, isQuiet: true });
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

/** A start that is refused: its error, on one line. */
async function refusal(data: string, env: Record<string, string>): Promise<string> {
  const { code, stdout, stderr } = await runMneme(['serve', '--listen', '127.0.0.1:0', '--data', data, ...FLAGS], {
    env,
  });
  expect([code === 1 || code === 2, stdout, code, stderr]).toEqual([true, '', code, expect.any(String)]);
  const lines = stderr.split('\n').filter((line) => !line.startsWith('{') && line !== '');
  expect(lines).toHaveLength(1);
  return lines[0] ?? '';
}

describe('mneme serve with MNEME_POSTGRES_URL', () => {
  it('a newcomer › stores and recalls by the command line; another server has it too', async () => {
    const env = { MNEME_POSTGRES_URL: postgres.url };
    const [here, there] = [join(folder, 'here'), join(folder, 'there')];
    await withServer(here, env, async ({ address }) => {
      const stored = await runMneme(['store', 'the cat sleeps on the sofa', '--server', address]);
      expect(stored.stderr).toBe('');
      const recalled = await runMneme(['recall', 'where does the cat sleep', '--server', address]);
      expect(recalled.stdout).toContain('the cat sleeps on the sofa');
      const stats = await runMneme(['stats', '--server', address]);
      expect(stats.stdout).toMatch(/postgres 16/);
    });
    await withServer(there, env, async ({ address }) => {
      expect((await runMneme(['list', '--server', address])).stdout).toContain('the cat sleeps on the sofa');
    });
  }, 240_000);

  it('a folder that owns memories › refused; a view without PostgreSQL › refused', async () => {
    const [owner, view] = [join(folder, 'owner'), join(folder, 'view')];
    await withServer(owner, {}, async ({ address }) => {
      await runMneme(['store', 'mine', '--server', address]);
    });
    const env = postgres.envOf('folders');
    expect(await refusal(owner, env)).toMatch(/data folder .*owner owns memories.*docs\/postgres\.md/);
    await withServer(view, env, async ({ address }) => {
      await runMneme(['store', 'shared', '--server', address]);
    });
    expect(await refusal(view, {})).toMatch(
      /data folder .*view is a view of PostgreSQL and owns no memories: set MNEME_POSTGRES_URL/,
    );
    await withServer(owner, {}, async ({ address }) => {
      expect((await runMneme(['list', '--server', address])).stdout).toContain('mine');
    });
  }, 240_000);

  it('a view of another schema › made anew', async () => {
    const data = join(folder, 'moved');
    for (const schema of ['first', 'second']) {
      const env = postgres.envOf(schema);
      await withServer(data, env, async ({ address }) => {
        await runMneme(['store', `of ${schema}`, '--server', address]);
        const { stdout } = await runMneme(['list', '--server', address]);
        expect(stdout.match(/of (first|second)/g)).toEqual([`of ${schema}`]);
      });
    }
    expect(JSON.parse(await readFile(join(data, 'view.json'), 'utf8'))).toMatchObject({ records: expect.any(String) });
  }, 240_000);

  it.each([
    ['another scheme', 'mysql://u:secret@h/d', /MNEME_POSTGRES_URL: expected postgresql:/],
    ['a mode that may go on without TLS', 'postgresql://u:secret@h/d?sslmode=prefer', /sslmode disable, require/],
    ['a password that is not encoded', 'postgresql://u:secret%@h/d', /MNEME_POSTGRES_URL: expected/],
    ['no such port', 'postgresql://u:secret@h:99999/d', /MNEME_POSTGRES_URL: expected/],
    [
      'no server at the address',
      'postgresql://u:secret@127.0.0.1:9/d',
      /no connection to PostgreSQL at 127\.0\.0\.1:9\/d/,
    ],
    ['no such host', 'postgresql://u:secret@no-host.invalid/d', /no connection to PostgreSQL at no-host\.invalid\/d/],
  ])('%s › one line that says what to do, without the password', async (_, url, says) => {
    const said = await refusal(join(folder, 'none'), { MNEME_POSTGRES_URL: url });
    expect(said).toMatch(says);
    expect(said).not.toContain('secret');
  });
});
