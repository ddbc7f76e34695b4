import { afterEach, describe, expect, it } from '@jest/globals';
import { cleanUp, onCleanUp } from '../client/support/clean-up.ts';
import { startTestServer } from '../server/grpc/support/test-server.ts';
import { runMneme } from './support/run-mneme.ts';

afterEach(cleanUp);

async function server() {
  // The process is always above its limit. Memories move only when a test asks for it.
  const mneme = await startTestServer({
    maintenanceIntervalMs: '86400000',
    memoryPressureIntervalMs: '3600000',
    maxProcessBytes: '1048576',
  });
  onCleanUp(() => mneme.stop());
  return (...args: string[]) => runMneme([...args, '--server', mneme.address]);
}

const TEXT = 'what Ada said of the loom, the punched cards and the engine. '.repeat(300);

describe('mneme stats, of a real server', () => {
  it('many types, long ids › each line fits 80 columns', async () => {
    const run = await server();
    for (let at = 0; at < 12; at++) await run('store', TEXT, '--type', `kind_of_thing_${at}`);
    await run('maintain', '--flush');
    const ofServer = await run('stats');
    expect(ofServer.stdout).toMatch(/\nembedder +static: .*,\n +computes vectors from texts, stores none\n/);
    expect(ofServer.stdout).toMatch(/\nvectors +0 stored\n/);
    for (const { stdout } of [ofServer, await run('stats', '--namespace', 'default')]) {
      expect(stdout).toMatch(/\nby tier +long_term 12, \d.* KiB in \d.* KiB \(\d+ %\), importance 0\.\d\d\n/);
      expect(stdout).toMatch(/\nleast recalled +[0-9a-f-]{36} 0\n +[0-9a-f-]{36} 0\n/);
      for (const line of stdout.split('\n')) expect([line, line.length <= 80]).toEqual([line, true]);
    }
  }, 60_000);

  it('--simplified › has neither types nor accesses, of the server as of a namespace', async () => {
    const run = await server();
    await run('store', 'a memory', '--type', 'fact');
    for (const which of [[], ['--namespace', 'default']]) {
      expect((await run('stats', ...which)).stdout).toMatch(/by type +fact 1/);
      const { stdout } = await run('stats', '--simplified', ...which);
      expect(stdout).toMatch(/by tier +short_term 1/);
      expect(stdout).not.toMatch(/by type|recalled +[0-9a-f-]{36}/);
    }
  });

  it('--agent › counts what all namespaces hold of the agent, or one; without a name it is refused', async () => {
    const run = await server();
    await run('store', 'one', '--agent', 'ada', '--type', 'fact', '--id', 'm1');
    await run('store', 'two', '--agent', 'ada', '--namespace', 'other');
    await run('store', 'three', '--agent', 'bob');
    await run('demote', 'm1');
    const all = JSON.parse((await run('stats', '--agent', 'ada', '--json')).stdout) as object;
    expect(all).toMatchObject({ statistics: { agent: 'ada', memoryCount: 2, contentBytes: 6 } });
    const { stdout } = await run('stats', '--agent', 'ada', '--namespace', 'default');
    expect(stdout.replaceAll(/ {2,}/g, '  ')).toBe(
      'agent  ada\nnamespace  default\nmemories  1\nby type  fact 1\nby tier  intermediate 1, 3 B\ncontents  3 B\n',
    );
    expect((await run('stats', '--agent', '')).code).toBe(2);
  });

  it('moves free nothing of the process › says so', async () => {
    const run = await server();
    await run('store', 'a memory');
    for (let at = 0; at < 2; at++) await run('maintain', '--all');
    expect((await run('stats')).stdout).toMatch(
      /memory used +process_memory .* of 1\.0 MiB, short, moves free nothing/,
    );
  });
});
