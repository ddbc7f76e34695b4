import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ChangeKind as Kind } from '../../../../gen/ts/mneme/v1/change.ts';
import { CreateNamespaceRequest } from '../../../../gen/ts/mneme/v1/namespace_service.ts';
import {
  SubscribeRecallRequest,
  WatchMemoriesRequest,
  type WatchMemoriesResponse,
} from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { CreateSubscriptionRequest } from '../../../../gen/ts/mneme/v1/subscription_service.ts';
import { ask, refusalOf } from '../support/ask.ts';
import { FollowedAnswer, type Query, recalledNames } from '../support/followed-answer.ts';
import { FollowedStream } from '../support/followed-stream.ts';
import { freshNamespace, store, vector } from '../support/memories.ts';
import { type Clients, startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ embedder: 'none' });
});
afterAll(() => server.stop());

type Watched = Parameters<typeof WatchMemoriesRequest.fromPartial>[0];

const watch = ({ recalls }: Clients, request: Watched) =>
  new FollowedStream<WatchMemoriesResponse>(
    recalls.watchMemories(WatchMemoriesRequest.fromPartial({ heartbeatInterval: { seconds: 1n }, ...request })),
  );
const received = ({ messages }: FollowedStream<WatchMemoriesResponse>) =>
  messages.flatMap(({ event }) => (event?.$case === 'batch' ? event.value.changes : []));
const isProgress = ({ event }: WatchMemoriesResponse) => event?.$case === 'progress';

describe('Watch: a namespace that is not there yet', () => {
  test('› is awaited with heartbeats, and reported from its first change on', async () => {
    const parent = freshNamespace();
    const stream = watch(server, { parent });
    await stream.until((_, at) => stream.messages.slice(0, at + 1).filter(isProgress).length === 2);
    expect(stream.messages[0]?.event?.$case).toBe('created');
    const { name, revision } = await store(server, parent, { text: 'first' });
    await stream.until((message) => message.revision >= revision);
    expect(received(stream).map(({ kind }) => kind)).toEqual([
      Kind.CHANGE_KIND_NAMESPACE_CREATED,
      Kind.CHANGE_KIND_STORED,
    ]);
    expect(received(stream).at(-1)?.name).toBe(name);
    stream.cancel();
  });

  test('› a token from before continues before its first change', async () => {
    const parent = freshNamespace();
    const before = watch(server, { parent });
    const { resumeToken } = await before.until(isProgress);
    before.cancel();
    const again = watch(server, { parent, resumeToken });
    await again.until(isProgress);
    const { revision } = await store(server, parent, { text: 'first' });
    for (const stream of [again, watch(server, { parent, resumeToken })]) {
      await stream.until((message) => message.revision >= revision);
      expect(received(stream)).toHaveLength(2);
      stream.cancel();
    }
  });
});

describe('Subscribe: a namespace that is not there yet', () => {
  test.each([
    ['words', { text: 'door' }],
    ['what is near', { embedding: vector(1, 0), minSimilarity: 0.5 }],
    ['a scope', { scope: { agent: 'ada' }, timeWindow: { last: { seconds: 60n } } }],
  ] satisfies [string, Query][])('› asked by %s has an empty answer, then what Recall answers', async (_, query) => {
    const parent = freshNamespace();
    const answer = new FollowedAnswer(server, { parent, ...query });
    await answer.until(({ event }) => event?.$case === 'progress');
    expect(answer.names()).toEqual([]);
    for (let at = 0; at < 2; at++) {
      const { revision } = await store(server, parent, { text: `door ${at}`, embedding: vector(1, at / 10) });
      expect(await answer.at(revision)).toHaveLength(at + 1);
    }
    expect(answer.names()).toEqual(await recalledNames(server, answer.query));
    answer.cancel();
  });
});

test('CreateSubscription: a namespace that is not there › is made', async () => {
  const parent = freshNamespace();
  const { subscriptions } = server;
  const request = CreateSubscriptionRequest.fromPartial({ parent, subscriptionId: 'jobs', subscription: {} });
  const { subscription } = await ask(subscriptions, subscriptions.createSubscription, request);
  expect(subscription?.name).toBe(`${parent}/subscriptions/jobs`);
});

test('Streams of a namespace that is not there › end when the server stops', async () => {
  const other = await startTestServer({ embedder: 'none' });
  const parent = freshNamespace();
  const streams = [
    watch(other, { parent }),
    new FollowedStream(
      other.recalls.subscribeRecall(SubscribeRecallRequest.fromPartial({ query: { parent, text: 'x' } })),
    ),
  ];
  for (const stream of streams) await stream.until(() => stream.messages.length >= 2);
  const stopped = other.server.stop();
  for (const stream of streams) expect(refusalOf((await stream.outcome()) as never).reason).toBe('DRAINING');
  await stopped;
  await other.stop();
});

test('Streams of a missing namespace, without automatic creation › are refused until it is created', async () => {
  const other = await startTestServer({ embedder: 'none', autoCreateNamespaces: 'false' });
  const parent = freshNamespace();
  const { recalls, namespaces, subscriptions } = other;
  const subscribe = () =>
    new FollowedStream(recalls.subscribeRecall(SubscribeRecallRequest.fromPartial({ query: { parent, text: 'x' } })));
  for (const stream of [watch(other, { parent }), subscribe()])
    expect(refusalOf((await stream.outcome()) as never).reason).toBe('NAMESPACE_NOT_FOUND');
  const jobs = CreateSubscriptionRequest.fromPartial({ parent, subscriptionId: 'jobs', subscription: {} });
  const refused = ask(subscriptions, subscriptions.createSubscription, jobs).catch((error) => refusalOf(error).reason);
  expect(await refused).toBe('NAMESPACE_NOT_FOUND');
  await ask(
    namespaces,
    namespaces.createNamespace,
    CreateNamespaceRequest.fromPartial({ namespace: { name: parent } }),
  );
  const stream = watch(other, { parent });
  await stream.until(isProgress);
  stream.cancel();
  await other.stop();
});
