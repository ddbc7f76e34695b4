import { afterEach, describe, expect, it } from '@jest/globals';
import { startTestServer, type TestServer } from '../server/grpc/support/test-server.ts';
import { runMneme } from './support/run-mneme.ts';

const servers: TestServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

async function start() {
  const server = await startTestServer({ embedder: 'none' });
  servers.push(server);
  return (...args: string[]) => runMneme(args, { env: { MNEME_SERVER: server.address } });
}

describe('mneme subscriptions', () => {
  it('create, consume, get, list, delete › each change is printed once, and its place kept', async () => {
    const mneme = await start();
    await mneme('store', 'before');
    expect((await mneme('subscriptions', 'create', 'jobs', '--work-queue', '--ack-deadline', '60s')).stdout).toBe(
      'jobs\n',
    );
    for (const text of ['one', 'two', 'three']) await mneme('store', text);
    const consume = ['subscriptions', 'consume', 'jobs', '--consumer', 'w', '--json', '--count'];
    const printed = async (count: string) =>
      (await mneme(...consume, count)).stdout
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { memory: { text: string } }).memory.text);
    expect(await printed('2')).toEqual(['one', 'two']);
    expect(await printed('1')).toEqual(['three']);
    expect((await mneme('subscriptions', 'list')).stdout).toBe('jobs  work queue, 60 s to acknowledge\n');
    expect((await mneme('subscriptions', 'get', 'jobs')).stdout).toMatch(
      /all workers {2}up to revision \d+, last seen/,
    );
    await mneme('store', 'four');
    expect((await mneme('subscriptions', 'consume', 'jobs', '--consumer', 'w', '--count', '1')).stdout).toMatch(
      /stored .* four\n.+\n$/,
    );
    expect((await mneme('subscriptions', 'delete', 'jobs')).stdout).toBe('jobs deleted\n');
    const gone = await mneme('subscriptions', 'consume', 'jobs', '--consumer', 'w');
    expect([gone.code, gone.stderr]).toEqual([3, expect.stringContaining('subscriptions/jobs does not exist')]);
  }, 240_000);

  it('create --moved › moves between tiers are delivered', async () => {
    const mneme = await start();
    await mneme('store', 'tea', '--id', 'a');
    const made = await mneme('subscriptions', 'create', 'tiers', '--moved', '--json');
    expect(JSON.parse(made.stdout)).toMatchObject({ id: 'tiers', includeMoved: true });
    await mneme('demote', 'a');
    expect((await mneme('subscriptions', 'consume', 'tiers', '--consumer', 'w', '--count', '1')).stdout).toMatch(
      /moved +to intermediate: tea\n.+ a\n$/,
    );
  }, 240_000);
});
