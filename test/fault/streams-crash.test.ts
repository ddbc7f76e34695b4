import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { WatchMemoriesRequest, type WatchMemoriesResponse } from '../../gen/ts/mneme/v1/recall_service.ts';
import { CreateSubscriptionRequest } from '../../gen/ts/mneme/v1/subscription_service.ts';
import { startMneme } from '../cli/support/start-mneme.ts';
import { ask } from '../server/grpc/support/ask.ts';
import { Consumer } from '../server/grpc/support/consumer.ts';
import { FollowedStream } from '../server/grpc/support/followed-stream.ts';
import { freshNamespace, store } from '../server/grpc/support/memories.ts';
import { connect } from '../server/grpc/support/test-server.ts';

test('Streams: the server is killed and restarted › tokens resume, acknowledgements stay, unacknowledged changes are redelivered', async () => {
  const data = await mkdtemp(join(tmpdir(), 'mneme-streams-'));
  const parent = freshNamespace();
  let server = await startMneme({ data });
  let clients = connect(server.address);
  try {
    await store(clients, parent, { text: 'before' });
    const { subscriptions } = clients;
    const request = CreateSubscriptionRequest.fromPartial({ parent, subscriptionId: 'work' });
    const { subscription } = await ask(subscriptions, subscriptions.createSubscription, request);
    const name = subscription?.name ?? '';
    const consumer = new Consumer(clients, name, 'a');
    const watching = new FollowedStream<WatchMemoriesResponse>(
      clients.recalls.watchMemories(WatchMemoriesRequest.fromPartial({ parent })),
    );
    await watching.until(({ event }) => event?.$case === 'progress');
    for (const text of ['1', '2', '3']) await store(clients, parent, { text });
    await consumer.has(3);
    const second = consumer.changes()[1]?.revision ?? 0n;
    consumer.acknowledge(second);
    await consumer.until(({ acknowledgedRevision }) => acknowledgedRevision >= second);
    const { resumeToken } = await watching.until(
      ({ event, revision }) => event?.$case === 'batch' && revision >= second,
    );
    const received = watching.messages.flatMap(({ event, revision }) =>
      event?.$case === 'batch' ? event.value.changes.map((change) => [change.memory?.text, revision]) : [],
    );
    await server.stop('SIGKILL');
    await Promise.all([consumer.outcome(), watching.outcome()]);
    clients.close();
    server = await startMneme({ data });
    clients = connect(server.address);
    const again = new Consumer(clients, name, 'a');
    const resumed = new FollowedStream<WatchMemoriesResponse>(
      clients.recalls.watchMemories(WatchMemoriesRequest.fromPartial({ parent, resumeToken })),
    );
    const { revision } = await store(clients, parent, { text: '4' });
    await resumed.until((message) => message.event?.$case === 'batch' && message.revision >= revision);
    await again.has(2);
    expect(again.texts()).toEqual(['3', '4']);
    const rest = resumed.messages.flatMap(({ event }) =>
      event?.$case === 'batch' ? event.value.changes.map(({ memory }) => memory?.text) : [],
    );
    expect(new Set([...received.map(([text]) => text), ...rest])).toEqual(new Set(['1', '2', '3', '4']));
    for (const stream of [again, resumed]) stream.cancel();
  } finally {
    clients.close();
    await server.stop('SIGKILL');
    await rm(data, { recursive: true, force: true });
  }
}, 240_000);
