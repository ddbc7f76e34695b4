import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AcknowledgeLifecycleEventsRequest } from '../../gen/ts/mneme/v1/lifecycle_service.ts';
import { SubscribeRecallRequest, type SubscribeRecallResponse } from '../../gen/ts/mneme/v1/recall_service.ts';
import { CreateSubscriptionRequest } from '../../gen/ts/mneme/v1/subscription_service.ts';
import { ask, refusal, refusalOf } from '../server/grpc/support/ask.ts';
import { Consumer } from '../server/grpc/support/consumer.ts';
import { FollowedStream } from '../server/grpc/support/followed-stream.ts';
import { follow } from '../server/grpc/support/lifecycle-streams.ts';
import { freshNamespace } from '../server/grpc/support/memories.ts';
import { sessionCalls } from '../server/grpc/support/sessions.ts';
import { RestorableServer } from './restorable-server.ts';

let server: RestorableServer;
const parent = freshNamespace();
beforeEach(async () => {
  server = await RestorableServer.start();
});
afterEach(() => server.remove());

const numbered = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name}${at}`);
const WENT_BACK = { code: 'OUT_OF_RANGE', reason: 'REVISION_COMPACTED', message: /restored to an older state/ };

/** A token after everything that is stored. */
async function tokenOfNow(): Promise<string> {
  const stream = server.watch({ parent });
  const { resumeToken } = await stream.until(({ event }) => event?.$case === 'progress');
  stream.cancel();
  return resumeToken;
}

/** How the resumed watch ends. */
async function endOf(resumeToken: string) {
  const end = await server.watch({ parent, resumeToken }).outcome();
  if (end === true) throw new Error('the stream has ended well');
  return refusalOf(end);
}

/** Events of a watch that continues after the token. */
async function toldBehind(resumeToken: string, newest: bigint): Promise<string[]> {
  const stream = server.watch({ parent, resumeToken });
  await stream.until(({ event, revision }) => event?.$case === 'progress' && revision >= newest);
  stream.cancel();
  return stream.texts();
}

function expectWentBack(end: ReturnType<typeof refusalOf>, newest: bigint): void {
  expect(end).toMatchObject({ code: WENT_BACK.code, reason: WENT_BACK.reason });
  expect(end.message).toMatch(WENT_BACK.message);
  expect(end.metadata).toMatchObject({ newest_revision: String(newest) });
}

describe('a data folder is replaced by an older copy of it', () => {
  it('taken while it was closed › a token of lost changes is refused, before and after the log has grown past it', async () => {
    const before = await server.store(parent, numbered('kept', 5));
    const kept = await tokenOfNow();
    const copy = await server.copy();
    await server.store(parent, numbered('lost', 10));
    const lost = await tokenOfNow();
    await server.putBack(copy);
    expectWentBack(await endOf(lost), before);
    const newest = await server.store(parent, numbered('new', 15));
    expectWentBack(await endOf(lost), newest);
    // Tokens of the common history and of later changes stay valid, over any number of starts.
    const since = await tokenOfNow();
    await server.restart();
    await server.restart();
    const last = await server.store(parent, ['last']);
    expect(await toldBehind(kept, last)).toEqual([...numbered('new', 15), 'last']);
    expect(await toldBehind(since, last)).toEqual(['last']);
    expectWentBack(await endOf(lost), last);
  }, 240_000);

  it('taken while it was written to › tokens issued after the copy by the same server are refused, earlier ones are accepted', async () => {
    await server.store(parent, numbered('kept', 5));
    const kept = await tokenOfNow();
    const copy = await server.copyRunning();
    await server.store(parent, numbered('lost', 10));
    const lost = await tokenOfNow();
    await server.putBack(copy);
    const newest = await server.store(parent, numbered('new', 15));
    expectWentBack(await endOf(lost), newest);
    expect(await toldBehind(kept, newest)).toEqual(numbered('new', 15));
  }, 240_000);

  it('a stream that was in the middle of older terms › its token continues where it was, also in the copy', async () => {
    for (const name of ['a', 'b', 'c']) {
      await server.store(parent, numbered(name, 3));
      await server.restart();
    }
    const stream = server.watch({ parent, startRevision: 1n, maxBatchChanges: 1 });
    const { resumeToken } = await stream.until(({ event }) =>
      event?.$case === 'batch' ? event.value.changes[0]?.memory?.text === 'b0' : false,
    );
    stream.cancel();
    const copy = await server.copy();
    await server.store(parent, ['lost']);
    await server.putBack(copy);
    const newest = await server.store(parent, ['new']);
    expect(await toldBehind(resumeToken, newest)).toEqual(['b1', 'b2', ...numbered('c', 3), 'new']);
  }, 240_000);

  it('a standing query › its token of lost changes is refused immediately; without it the answer is sent', async () => {
    await server.store(parent, ['tea kept']);
    const copy = await server.copy();
    await server.store(parent, numbered('tea lost', 5));
    const first = subscription('');
    const { resumeToken } = await first.until(({ event }) => event?.$case === 'batch');
    first.cancel();
    await server.restart();
    const again = subscription(resumeToken);
    await again.until(({ event }) => event?.$case === 'batch');
    again.cancel();
    await server.putBack(copy);
    const end = await subscription(resumeToken).outcome();
    if (end === true) throw new Error('the stream has ended well');
    expectWentBack(refusalOf(end), 2n);
    await server.store(parent, numbered('tea new', 15));
    const grown = await subscription(resumeToken).outcome();
    if (grown === true) throw new Error('the stream has ended well');
    expect(refusalOf(grown)).toMatchObject({ reason: WENT_BACK.reason });
    const anew = subscription('');
    await anew.until(({ event }) => event?.$case === 'batch' && event.value.events.length === 10);
    anew.cancel();
  }, 240_000);

  it('a durable subscription › is restored with the folder: changes acknowledged since are delivered in their present form', async () => {
    await server.store(parent, ['before']);
    const { subscriptions } = server.clients;
    const request = CreateSubscriptionRequest.fromPartial({ parent, subscriptionId: 'work' });
    const name = (await ask(subscriptions, subscriptions.createSubscription, request)).subscription?.name ?? '';
    await server.store(parent, ['kept']);
    await acknowledgedAll(name, 1);
    const copy = await server.copy();
    await server.store(parent, numbered('lost', 10));
    await acknowledgedAll(name, 10);
    await server.putBack(copy);
    await server.store(parent, numbered('new', 15));
    const consumer = new Consumer(server.clients, name, 'a');
    await consumer.has(15);
    expect(consumer.texts()).toEqual(numbered('new', 15));
    consumer.cancel();
  }, 240_000);

  it('events of sessions › a token of lost events is refused, also as an acknowledgement', async () => {
    await sessionCalls(server.clients).spawn({ parent, sessionId: 'kept' });
    const kept = await tokenOfEvent('kept');
    const copy = await server.copy();
    for (const sessionId of numbered('lost', 3)) await sessionCalls(server.clients).spawn({ parent, sessionId });
    const lost = await tokenOfEvent('lost1');
    await server.putBack(copy);
    for (const sessionId of numbered('new', 5)) await sessionCalls(server.clients).spawn({ parent, sessionId });
    const refused = follow(server.clients, { parent, start: { $case: 'resumeToken', value: lost } });
    expect(await refusal(refused.created())).toMatchObject({ code: WENT_BACK.code, reason: WENT_BACK.reason });
    const { lifecycle } = server.clients;
    const done = AcknowledgeLifecycleEventsRequest.fromPartial({ parent, consumer: 'c', resumeToken: lost });
    expect(await refusal(ask(lifecycle, lifecycle.acknowledgeLifecycleEvents, done))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      fields: ['resume_token'],
    });
    const resumed = follow(server.clients, { parent, start: { $case: 'resumeToken', value: kept } });
    await resumed.created();
    expect((await resumed.next()).event.session?.name).toBe(`${parent}/sessions/new0`);
    resumed.stop();
  }, 240_000);
});

function subscription(resumeToken: string): FollowedStream<SubscribeRecallResponse> {
  const query = { parent, text: 'tea', limit: 10 };
  return new FollowedStream(
    server.clients.recalls.subscribeRecall(SubscribeRecallRequest.fromPartial({ query, resumeToken })),
  );
}

async function acknowledgedAll(name: string, count: number): Promise<void> {
  const consumer = new Consumer(server.clients, name, 'a');
  await consumer.has(count);
  const last = consumer.changes().at(-1)?.revision ?? 0n;
  consumer.acknowledge(last);
  await consumer.until(({ acknowledgedRevision }) => acknowledgedRevision >= last);
  consumer.cancel();
}

async function tokenOfEvent(sessionId: string): Promise<string> {
  const follower = follow(server.clients, { parent, start: { $case: 'fromOldest', value: true } });
  await follower.created();
  for (;;) {
    const { event, token } = await follower.next();
    if (event.session?.name !== `${parent}/sessions/${sessionId}`) continue;
    follower.stop();
    return token;
  }
}
