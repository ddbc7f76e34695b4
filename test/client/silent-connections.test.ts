import type { ServerWritableStream } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { WatchEvent } from '../../clients/typescript/src/index.ts';
import { type WatchMemoriesRequest, WatchMemoriesResponse } from '../../gen/ts/mneme/v1/recall_service.ts';
import { openLink } from '../support/link.ts';
import { ManualTiming } from '../support/manual-timing.ts';
import { cleanUp, client, onCleanUp } from './support/clean-up.ts';
import { startService } from './support/start-service.ts';

afterEach(cleanUp);

type WatchCall = ServerWritableStream<WatchMemoriesRequest, WatchMemoriesResponse>;

const created = (heartbeatSeconds: bigint) =>
  WatchMemoriesResponse.fromPartial({
    resumeToken: 'now',
    event: { $case: 'created', value: { heartbeatInterval: { seconds: heartbeatSeconds, nanos: 0 } } },
  });
const caughtUp = (revision: bigint) =>
  WatchMemoriesResponse.fromPartial({ revision, resumeToken: 'now', event: { $case: 'progress', value: {} } });

/** A client of a server that answers each watch with `created` and `caught_up`; the filter states its heartbeat. */
async function watched() {
  const calls: WatchCall[] = [];
  const peers: string[] = [];
  const watchMemories = (call: WatchCall) => {
    peers.push(call.getPeer());
    call.on('error', () => {});
    call.write(created(BigInt(call.request.filterText)));
    call.write(caughtUp(BigInt(calls.push(call))));
  };
  const service = await startService({ recall: { watchMemories } });
  onCleanUp(() => service.stop());
  const link = await openLink(() => service.address);
  onCleanUp(() => link.stop());
  const timing = new ManualTiming(0);
  const mneme = client(link.address, { timing, namespace: 'n' });
  const watch = (heartbeatSeconds: number) => mneme.watch({ filter: String(heartbeatSeconds), progress: true });
  /** The connection of each call: one number for each, in the order in which they were used first. */
  const connections = () => peers.map((peer) => [...new Set(peers)].indexOf(peer) + 1);
  return { calls, connections, link, timing, watch };
}

async function revisionOf(events: AsyncGenerator<WatchEvent>): Promise<number | undefined> {
  const next = await events.next();
  return next.done ? undefined : next.value.revision;
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

describe('client › silent connections', () => {
  it('when a stream misses its heartbeats › it has another connection, and a stream with messages keeps the first one', async () => {
    const { calls, connections, link, timing, watch } = await watched();
    const silent = watch(1);
    const slow = watch(60);
    expect([await revisionOf(silent), await revisionOf(slow)]).toEqual([1, 2]);
    expect(link.count).toBe(1);

    const reopened = revisionOf(silent);
    timing.pass(3_100);
    expect(await reopened).toBe(3);
    expect(connections()).toEqual([1, 1, 2]);
    expect(link.count).toBe(2);

    calls[1]?.write(caughtUp(7n));
    expect(await revisionOf(slow)).toBe(7);

    await slow.return();
    await until(() => link.count === 1);
    await silent.return();
  });

  it('when several streams of a connection are silent › they share the next one', async () => {
    const { connections, link, timing, watch } = await watched();
    const streams = [watch(1), watch(1)];
    for (const stream of streams) await revisionOf(stream);
    const reopened = streams.map(revisionOf);
    timing.pass(3_100);
    await Promise.all(reopened);
    expect(connections()).toEqual([1, 1, 2, 2]);
    await until(() => link.count === 1);
    for (const stream of streams) await stream.return();
  });

  it('when a stream breaks otherwise › it keeps its connection', async () => {
    const { calls, connections, watch } = await watched();
    const broken = watch(1);
    await revisionOf(broken);
    calls[0]?.end();
    expect(await revisionOf(broken)).toBe(2);
    expect(connections()).toEqual([1, 1]);
    await broken.return();
  });
});
