import { credentials } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GetServerInfoRequest } from '../../../../gen/ts/mneme/v1/admin_service.ts';
import { GetSessionRequest } from '../../../../gen/ts/mneme/v1/lifecycle_service.ts';
import {
  AppendScratchpadRequest,
  GetValueRequest as GetRequest,
  SetValueRequest,
} from '../../../../gen/ts/mneme/v1/working_memory_service.ts';
import { until } from '../../../support/redis-cluster.ts';
import { RedisServer } from '../../../support/redis-server.ts';
import { WorkingMemoryServiceClient } from '../../../support/service-clients.ts';
import { ask, refusal, refusalOf } from '../support/ask.ts';
import { follow } from '../support/lifecycle-streams.ts';
import { freshNamespace, json } from '../support/memories.ts';
import { initial, sessionCalls } from '../support/sessions.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const LOST = { code: 'DATA_LOSS', reason: 'SESSION_LOST' };

describe('a server whose Redis has lost sessions', () => {
  let redis: RedisServer;
  let mneme: TestServer;
  let wm: WorkingMemoryServiceClient;
  let parent: string;
  let session: string;
  beforeEach(async () => {
    redis = await RedisServer.started();
    // The job for expired keys would get the loss instead of the next call.
    const env = { MNEME_REDIS_URL: redis.url };
    mneme = await startTestServer({ embedder: 'none', redisRetryMs: '50', expiryIntervalMs: '3600000' }, {}, env);
    wm = new WorkingMemoryServiceClient(mneme.address, credentials.createInsecure());
    parent = freshNamespace();
    await sessionCalls(mneme).spawn({ parent, sessionId: 's', initialValues: initial({ k: 1 }) });
    session = `${parent}/sessions/s`;
  });
  afterEach(async () => {
    wm.close();
    await mneme.stop();
    await redis.stop();
  });

  const get = () => ask(wm, wm.getValue, GetRequest.fromPartial({ session, key: 'k' }));
  const set = (value: unknown) =>
    ask(wm, wm.setValue, SetValueRequest.fromPartial({ session, key: 'k', value: json(value) }));
  const degraded = async () =>
    (await ask(mneme.admin, mneme.admin.getServerInfo, GetServerInfoRequest.fromPartial({}))).degraded;
  const received = (what: string) => `${parent}: ${what}`;

  it('all of them › calls are DATA_LOSS until the session is spawned again; the log and GetServerInfo report it', async () => {
    expect(await degraded()).toEqual([]);
    await redis.command('FLUSHALL');
    const calls = [
      get,
      () => set(2),
      () => ask(wm, wm.appendScratchpad, AppendScratchpadRequest.fromPartial({ session, notes: [json('n')] })),
      () => ask(mneme.lifecycle, mneme.lifecycle.getSession, GetSessionRequest.fromPartial({ session: session })),
      () => sessionCalls(mneme).pause({ session: session }),
      () => sessionCalls(mneme).terminate({ session: session }),
    ];
    for (const call of calls) {
      const refused = await refusal(call());
      expect(refused).toMatchObject(LOST);
      expect(refused.metadata).toMatchObject({ name: session, backend: 'redis' });
      // Not retryable by a client.
      expect(refused.retryDelayMs).toBeUndefined();
    }

    const loss = 'sessions are lost: Redis was emptied or restarted without its data';
    expect(await degraded()).toEqual([received(loss)]);
    const logged = mneme.log.filter(({ msg }) => msg === loss);
    expect(logged).toMatchObject([{ namespace: parent.slice('namespaces/'.length), loss: 'flushed', level: 'error' }]);

    await sessionCalls(mneme).spawn({ parent, sessionId: 's', initialValues: initial({ k: 3 }) });
    expect((await get()).entry?.value?.body?.value).toBe('3');
    expect(await degraded()).toEqual([received(loss)]);
  });

  it('all of them › followers of their events are notified that some are missing', async () => {
    const first = follow(mneme, { parent, start: { $case: 'fromOldest', value: true } });
    await first.created();
    const { token } = await first.next();
    first.stop();
    await redis.command('FLUSHALL');
    await refusal(get());
    const second = follow(mneme, { parent, start: { $case: 'resumeToken', value: token } });

    const failure = await second.messages.next().catch(refusalOf);
    expect(failure).toMatchObject({ code: 'OUT_OF_RANGE', reason: 'REVISION_COMPACTED' });
  });

  it('the latest writes › one call is UNAVAILABLE and reports it, as does GetServerInfo; the remaining data is usable', async () => {
    await redis.command('SAVE');
    await set(2);
    await redis.restart();
    await until('the loss is reported', async () => {
      const refused = await refusal(get());
      expect(refused.code).toBe('UNAVAILABLE');
      return refused.metadata.fault === 'rolled_back';
    });

    expect((await get()).entry?.value?.body?.value).toBe('1');
    await set(4);
    expect(await degraded()).toEqual([
      received('the latest writes of sessions are lost: Redis has gone back to an older state'),
    ]);
  });
});
