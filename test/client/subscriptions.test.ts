import { randomUUID } from 'node:crypto';
import { type ServerDuplexStream, status } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  connect,
  type Delivery,
  type Mneme,
  NotFoundError,
  OutOfRangeError,
} from '../../clients/typescript/src/index.ts';
import { ChangeKind } from '../../gen/ts/mneme/v1/change.ts';
import {
  type ConsumeSubscriptionRequest,
  ConsumeSubscriptionResponse,
} from '../../gen/ts/mneme/v1/subscription_service.ts';
import { startTestServer, type TestServer } from '../server/grpc/support/test-server.ts';
import { openLink } from '../support/link.ts';
import { cleanUp, PATIENT, serve } from './support/clean-up.ts';
import { statusError } from './support/start-service.ts';

const closing: (() => Promise<void> | void)[] = [];
afterEach(cleanUp);
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(flags: Record<string, string> = {}): Promise<TestServer> {
  const server = await startTestServer({ embedder: 'none', ...flags });
  closing.push(() => server.stop());
  return server;
}

async function client(address: string): Promise<Mneme> {
  const mneme = connect(address, { ...PATIENT, namespace: `n-${randomUUID()}` });
  closing.push(() => mneme.close());
  await mneme.store({ text: 'before' });
  return mneme;
}

async function take(deliveries: AsyncGenerator<Delivery>, count: number): Promise<Delivery[]> {
  const taken: Delivery[] = [];
  while (taken.length < count) {
    const { value, done } = await deliveries.next();
    if (done) throw new Error(`ended after ${taken.length} of ${count}`);
    taken.push(value);
  }
  return taken;
}

const delivered = ConsumeSubscriptionResponse.fromPartial({
  event: { $case: 'batch', value: { changes: [{ revision: 9n, kind: 1, name: 'namespaces/n/memories/m9' }] } },
});

const textsOf = (deliveries: readonly Delivery[]) => deliveries.map(({ memory }) => memory?.text);

describe('client › durable subscriptions', () => {
  it('created, read, listed, deleted › matches the request, and is deleted', async () => {
    const mneme = await client((await start()).address);
    const settings = {
      mode: 'work_queue',
      ackDeadlineMs: 60_000,
      consumerTtlMs: 120_000,
      scope: { agent: 'a' },
    } as const;
    const made = await mneme.subscriptions.create('jobs', settings);
    expect(made).toMatchObject({ id: 'jobs', ...settings, cursors: [] });
    expect(await mneme.subscriptions.get('jobs')).toEqual(made);
    expect((await mneme.subscriptions.list()).map(({ id }) => id)).toEqual(['jobs']);
    await mneme.subscriptions.delete('jobs');
    await expect(mneme.subscriptions.get('jobs')).rejects.toBeInstanceOf(NotFoundError);
    await expect(mneme.subscriptions.consume('jobs', 'a').next()).rejects.toBeInstanceOf(NotFoundError);
  });

  it('leaving the loop › acknowledged changes are not delivered again, the others are', async () => {
    const mneme = await client((await start()).address);
    await mneme.subscriptions.create('s');
    for (const text of ['1', '2', '3', '4']) await mneme.store({ text });
    const first = mneme.subscriptions.consume('s', 'ann');
    const [one, two, three] = await take(first, 3);
    one?.acknowledge();
    two?.acknowledge();
    await first.return();
    three?.acknowledge();
    const again = mneme.subscriptions.consume('s', 'ann');
    expect(textsOf(await take(again, 2))).toEqual(['3', '4']);
    await again.return();
  });

  it('the connection breaks › resumes by itself; changes acknowledged in the meantime are not repeated', async () => {
    const server = await start();
    const link = await openLink(() => server.address);
    closing.push(() => link.stop());
    const mneme = await client(link.address);
    await mneme.subscriptions.create('s');
    for (const text of ['1', '2', '3', '4']) await mneme.store({ text });
    const broken: unknown[] = [];
    const deliveries = mneme.subscriptions.consume('s', 'ann', {}, { onBroken: (error) => broken.push(error) });
    const [one, two] = await take(deliveries, 2);
    one?.acknowledge();
    link.cut();
    two?.acknowledge();
    const rest = await take(deliveries, 2);
    for (const delivery of rest) delivery.acknowledge();
    await mneme.store({ text: '5' });
    const [last] = await take(deliveries, 1);
    expect([...textsOf(rest), last?.memory?.text]).toEqual(['3', '4', '5']);
    expect(broken).toHaveLength(1);
    await deliveries.return();
    const [cursor] = (await mneme.subscriptions.get('s')).cursors;
    expect(cursor?.acknowledgedRevision).toBeGreaterThanOrEqual(rest[1]?.revision ?? Number.NaN);
  });

  it('two workers of a queue › each change goes to one of them', async () => {
    const mneme = await client((await start()).address);
    await mneme.subscriptions.create('jobs', { mode: 'work_queue' });
    const workers = ['a', 'b'].map((name) => mneme.subscriptions.consume('jobs', name, { maxOutstanding: 2 }));
    for (const text of ['1', '2', '3', '4']) await mneme.store({ text });
    const taken = await Promise.all(workers.map((worker) => take(worker, 2)));
    expect(textsOf(taken.flat()).toSorted()).toEqual(['1', '2', '3', '4']);
    await Promise.all(workers.map((worker) => worker.return()));
  });

  it('changes that are no longer kept › OutOfRangeError, or with `skip` the oldest that is', async () => {
    const server = await start({ maxLogCount: '1000', logCompactionIntervalMs: '100' });
    const mneme = await client(server.address);
    await mneme.subscriptions.create('s');
    for (let at = 0; at < 2500; at += 100) {
      await mneme.batchStore(Array.from({ length: 100 }, (_, each) => ({ text: `${at + each}` })));
    }
    for (;;) {
      try {
        const deliveries = mneme.subscriptions.consume('s', 'ann');
        await take(deliveries, 1);
        await deliveries.return();
      } catch (error) {
        expect(error).toBeInstanceOf(OutOfRangeError);
        break;
      }
    }
    const skipping = mneme.subscriptions.consume('s', 'ann', { onCompacted: 'skip' });
    const [oldest] = await take(skipping, 1);
    expect(Number(oldest?.memory?.text)).toBeGreaterThan(0);
    await skipping.return();
  }, 240_000);

  it('a log restored to an older state › a change with the revision of a processed one is delivered', async () => {
    const ack = Promise.withResolvers<void>();
    let streams = 0;
    const change = (revision: bigint, id: string, seconds: bigint) => ({
      revision,
      kind: ChangeKind.CHANGE_KIND_STORED,
      name: `namespaces/n/memories/${id}`,
      time: { seconds, nanos: 5_000 },
    });
    const consume = (call: ServerDuplexStream<ConsumeSubscriptionRequest, ConsumeSubscriptionResponse>) => {
      const isFirst = ++streams === 1;
      call.on('error', () => {});
      call.on('end', () => call.end());
      call.on('data', ({ request }: ConsumeSubscriptionRequest) => {
        if (request?.$case === 'acknowledge') ack.resolve();
        if (request?.$case !== 'start') return;
        call.write(ConsumeSubscriptionResponse.fromPartial({ event: { $case: 'created', value: { log: 'l' } } }));
        const changes = [change(8n, 'kept', 100n), isFirst ? change(9n, 'lost', 101n) : change(9n, 'new', 200n)];
        call.write(ConsumeSubscriptionResponse.fromPartial({ event: { $case: 'batch', value: { changes } } }));
      });
      // Disconnected before it has confirmed the acknowledgements.
      if (isFirst) void ack.promise.then(() => call.emit('error', statusError(status.UNAVAILABLE, 'gone')));
    };
    const { mneme } = await serve({ subscriptions: { consumeSubscription: consume } });
    const deliveries = mneme.subscriptions.consume('s', 'ann');
    const [kept, lost] = await take(deliveries, 2);
    kept?.acknowledge();
    lost?.acknowledge();
    const [next] = await take(deliveries, 1);
    expect([kept?.id, lost?.id, next?.id]).toEqual(['kept', 'lost', 'new']);
    await deliveries.return();
  });

  it.each([
    ['further each time › goes on until the oldest is reached', undefined, [3, 7], [0n, 4n, 8n]],
    ['behind what was asked for › goes on there', 2, [5], [2n, 6n]],
    ['and its oldest is refused too › OutOfRangeError', undefined, [3, 3], [0n, 4n]],
  ])('with `skip`, a log that is compacted %s', async (_, startRevision, compacted, asked) => {
    const starts: bigint[] = [];
    const consume = (call: ServerDuplexStream<ConsumeSubscriptionRequest, ConsumeSubscriptionResponse>) => {
      call.on('error', () => {});
      call.on('end', () => call.end());
      call.once('data', ({ request }: ConsumeSubscriptionRequest) => {
        if (request?.$case === 'start') starts.push(request.value.startRevision ?? 0n);
        const revision = compacted[starts.length - 1];
        if (revision === undefined) return void call.write(delivered);
        const metadata = { compact_revision: `${revision}` };
        call.emit('error', statusError(status.OUT_OF_RANGE, 'gone', { reason: 'REVISION_COMPACTED', metadata }));
      });
    };
    const { mneme } = await serve({ subscriptions: { consumeSubscription: consume } });
    const query = { onCompacted: 'skip', ...(startRevision === undefined ? {} : { startRevision }) } as const;
    const deliveries = mneme.subscriptions.consume('s', 'ann', query);
    const received = take(deliveries, 1).then(([first]) => first?.id);
    await (asked.length > compacted.length
      ? expect(received).resolves.toBe('m9')
      : expect(received).rejects.toBeInstanceOf(OutOfRangeError));
    await deliveries.return();
    expect(starts).toEqual(asked);
  });
});
