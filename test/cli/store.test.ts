import { afterEach, describe, expect, it } from '@jest/globals';
import type { StoreMemoryRequest } from '../../gen/ts/mneme/v1/memory_service.ts';
import { cleanUp } from '../client/support/clean-up.ts';
import { unary } from '../client/support/start-service.ts';
import { against } from './support/against.ts';

afterEach(cleanUp);

const RECEIPT = {
  name: 'namespaces/default/memories/m1',
  version: 11n,
  createTime: { seconds: 1_700_000_000n, nanos: 123_456_000 },
  checksum: 'c',
  embeddingPending: false,
};

describe('mneme store', () => {
  async function storing() {
    const requests: StoreMemoryRequest[] = [];
    const store = unary<StoreMemoryRequest, object>((request) => {
      requests.push(request);
      return { memory: RECEIPT, revision: 7n };
    });
    return { run: await against({ memory: { storeMemory: store } }), requests };
  }

  it('a text with flags › is stored as they say, and the id is printed', async () => {
    const { run, requests } = await storing();
    const scope = ['--session', 's1', '--agent', 'a', '--project', 'p', '--agent-type', 'planner'];
    const about = [
      '--speaker',
      'Ann',
      '--tag',
      'x',
      '--tag',
      'y',
      '--importance',
      '0.9',
      '--step',
      '3',
      '--room',
      'hall',
    ];
    const when = ['--event-time', '2024-05-08T13:56:00.123456Z', '--valid-until', '2025-01-01'];

    const { code, stdout, stderr } = await run(['store', 'tea at', 'five', ...scope, ...about, ...when, '--id', 'm1']);

    expect([code, stdout, stderr]).toEqual([0, 'm1\n', '']);
    expect(requests[0]).toMatchObject({
      parent: 'namespaces/default',
      memoryId: 'm1',
      memory: {
        text: 'tea at five',
        scope: { session: 's1', agent: 'a', project: 'p', agentType: 'planner' },
        source: { speaker: 'Ann' },
        tags: ['x', 'y'],
        importance: 0.9,
        step: 3n,
        place: { room: 'hall' },
        eventTime: { seconds: 1_715_176_560n, nanos: 123_456_000 },
        validUntil: { seconds: 1_735_689_600n, nanos: 0 },
      },
    });
  });

  it('without a text › reads it from stdin, without the last line end', async () => {
    const { run, requests } = await storing();

    await run(['store'], 'first line\nsecond line\n');
    await run(['store', '-'], 'other');

    expect(requests.map(({ memory }) => memory?.text)).toEqual(['first line\nsecond line', 'other']);
  });

  it('nothing at all › ends with 2 and says what to give', async () => {
    const { run, requests } = await storing();

    for (const args of [['store'], ['store', '-']]) {
      expect(await run(args, '\n')).toMatchObject({ code: 2, stderr: expect.stringContaining('nothing to store') });
    }
    expect(requests).toEqual([]);
  });

  it('content › goes as it came, and --ttl becomes an instant', async () => {
    const { run, requests } = await storing();

    await run(['store', '--content', '{"a": 1.0}', '--ttl', '1h']);

    const memory = requests[0]?.memory;
    expect(memory?.text).toBe('');
    expect(memory?.content?.mediaType).toBe('application/json');
    expect(memory?.content?.body?.value).toBe('{"a": 1.0}');
    const inSeconds = Number(memory?.expireTime?.seconds ?? 0n) - Date.now() / 1000;
    expect(Math.abs(inSeconds - 3600)).toBeLessThan(60);
  });

  it('--json › prints the receipt', async () => {
    const { run } = await storing();

    const { stdout } = await run(['store', 'x', '--json']);

    expect(JSON.parse(stdout)).toEqual({
      name: 'namespaces/default/memories/m1',
      id: 'm1',
      version: 11,
      createTime: '2023-11-14T22:13:20.123456Z',
      checksum: 'c',
      embeddingPending: false,
      revision: 7,
    });
  });
});
