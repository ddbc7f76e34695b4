import { afterEach, expect, test } from '@jest/globals';
import { connect } from '../../../../clients/typescript/src/index.ts';
import { WatchMemoriesRequest, type WatchMemoriesResponse } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { CreateSubscriptionRequest } from '../../../../gen/ts/mneme/v1/subscription_service.ts';
import { runMneme } from '../../../cli/support/run-mneme.ts';
import { PATIENT_CLIENT } from '../../../support/patient.ts';
import { ask } from '../support/ask.ts';
import { Consumer } from '../support/consumer.ts';
import { FollowedAnswer } from '../support/followed-answer.ts';
import { FollowedStream } from '../support/followed-stream.ts';
import { freshNamespace, store } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer | undefined;
afterEach(() => server?.stop());

test('Streams: open ones, and the retained change log › reported by GetStatistics, GetServerInfo with its limits, the metrics and mneme stats', async () => {
  server = await startTestServer({
    embedder: 'none',
    metricsListen: '127.0.0.1:0',
    heartbeatIntervalMs: '2500',
    maxStreamsPerCaller: '7',
  });
  const parent = freshNamespace();
  const { revision } = await store(server, parent, { text: 'x' });
  const { subscriptions, recalls } = server;
  const request = CreateSubscriptionRequest.fromPartial({ parent, subscriptionId: 's' });
  const name = (await ask(subscriptions, subscriptions.createSubscription, request)).subscription?.name ?? '';
  const watching = new FollowedStream<WatchMemoriesResponse>(
    recalls.watchMemories(WatchMemoriesRequest.fromPartial({ parent })),
  );
  const asking = new FollowedAnswer(server, { parent, text: 'x' });
  const consumer = new Consumer(server, name, 'a');
  for (const stream of [watching, asking]) await stream.until(({ event }) => event?.$case === 'progress');
  await consumer.until(({ event }) => event?.$case === 'created');

  const mneme = connect(server.address, PATIENT_CLIENT);
  const { streams } = await mneme.admin.getServerStatistics();
  const { streams: terms } = await mneme.admin.getServerInfo();
  void mneme.close();
  expect(terms).toEqual({
    heartbeatIntervalMs: 2500,
    maxStreamsPerCaller: 7,
    maxStallMs: 30_000,
    maxIngestBytesInFlight: 8_388_608,
    maxLogEntries: 1_000_000,
    maxLogBytes: 268_435_456,
    maxLogAgeMs: 30 * 86_400_000,
    open: { watch: 1, subscribe: 1, consume: 1 },
    standingQueryCount: 1,
    consumerCount: 1,
  });
  expect(streams).toMatchObject({
    open: { watch: 1, subscribe: 1, consume: 1 },
    standingQueryCount: 1,
    consumerCount: 1,
    oldestRevision: 1,
    newestRevision: Number(revision),
    entryCount: Number(revision),
  });
  expect(streams.entryBytes).toBeGreaterThan(0);
  const metrics = await (await fetch(`http://${server.server.metricsAddress}/metrics`)).text();
  for (const line of [
    'mneme_streams_open{kind="watch"} 1',
    'mneme_streams_open{kind="ingest"} 0',
    'mneme_standing_queries 1',
    'mneme_consumers 1',
    'mneme_log_oldest_revision 1',
    `mneme_log_entries ${revision}`,
    `mneme_log_bytes ${streams.entryBytes}`,
  ]) {
    expect(metrics.split('\n')).toContain(line);
  }
  const { stdout } = await runMneme(['stats'], { env: { MNEME_SERVER: server.address } });
  expect(stdout).toMatch(
    /stream limits +7 per caller, heartbeat every 2\.5 s, stalled at most 30 s,\s+log of 1000000 changes, 256\.0 MiB, 30 days/,
  );
  expect(stdout).toContain('consume 1, subscribe 1, watch 1');
  expect(stdout).toMatch(new RegExp(`change log +revisions 1 to ${revision}, ${revision} entries, \\d+ B`));
  for (const stream of [watching, asking, consumer]) stream.cancel();
});
