import { once } from 'node:events';
import { connect, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, expect, it } from '@jest/globals';
import { MnemeError } from '../../../../src/memory/errors.ts';
import { cutClosedStreams } from '../../../../src/server/grpc/upstream/ended-calls.ts';
import { type OddServer, startOddServer } from '../support/odd-server.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void;

let odd: OddServer | undefined;
afterEach(async () => {
  await odd?.stop();
  odd = undefined;
});

const CALLS = 20;
/** Of numbers, which V8 stores in 8 bytes each. */
const LENGTH = 100_000;
const SERVING = { service: 'x' };
const large = () => Array.from({ length: LENGTH }, (_, at) => at);
const usedBytes = () => getHeapStatistics().used_heap_size;

/** Number of the large arrays allocated by `call` that survive young collections. */
async function leftBy(call: () => Promise<unknown>): Promise<number> {
  for (let i = 0; i < CALLS; i++) await call();
  collect();
  const before = usedBytes();
  for (let i = 0; i < CALLS; i++) await call();
  // Streams are closed after their calls have been answered.
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  for (let i = 0; i < 4; i++) collect({ type: 'minor' });
  return (usedBytes() - before) / (LENGTH * 8);
}

it.each(['answered', 'refused'])(
  'unary calls that were %s › nothing of them survives young collections',
  async (how) => {
    odd = await startOddServer({
      unary: (_, call) => {
        Object.assign(call, { kept: large() });
        if (how === 'refused') throw new MnemeError('MEMORY_NOT_FOUND', 'gone');
        return SERVING;
      },
    });
    const { call } = odd;
    expect(await leftBy(() => call().catch(() => undefined))).toBeLessThan(CALLS / 4);
  },
);

it('closed streams of HTTP/2 › their listeners do not survive young collections', async () => {
  const server = createServer();
  server.on('stream', (stream) => {
    const kept = large();
    stream.on('error', () => kept.length);
    stream.respond({ ':status': 200 });
    stream.end();
  });
  server.on('session', cutClosedStreams);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const left = await leftBy(() => once(client.request({ ':path': '/' }).resume(), 'close'));
  client.close();
  server.close();
  expect(left).toBeLessThan(CALLS / 4);
});

it('messages of a stream after a wait › do not survive young collections', async () => {
  let wake = () => {};
  odd = await startOddServer({
    async *stream() {
      yield SERVING;
      for (;;) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        yield Object.assign({ service: 'x' }, { kept: large() });
      }
    },
  });
  const stream = odd.stream();
  const answers = () => once(stream, 'data');
  await answers();
  const left = await leftBy(async () => {
    const arrived = answers();
    for (let i = 0; i < 2; i++) collect({ type: 'minor' });
    wake();
    await arrived;
  });
  stream.on('error', () => undefined).cancel();
  expect(left).toBeLessThan(CALLS / 4);
});
