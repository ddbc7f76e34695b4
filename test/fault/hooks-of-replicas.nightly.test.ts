import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { HookResult, LifecyclePhase, LifecycleTransition } from '../../gen/ts/mneme/v1/lifecycle_service.ts';
import { type RunningMneme, startMneme } from '../cli/support/start-mneme.ts';
import { refusal } from '../server/grpc/support/ask.ts';
import { offerHook } from '../server/grpc/support/lifecycle-streams.ts';
import { freshNamespace } from '../server/grpc/support/memories.ts';
import { sessionCalls } from '../server/grpc/support/sessions.ts';
import { type Clients, connect } from '../server/grpc/support/test-server.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { until } from '../support/redis-cluster.ts';
import { RedisServer } from '../support/redis-server.ts';

const BEFORE = LifecyclePhase.LIFECYCLE_PHASE_BEFORE;
const AFTER = LifecyclePhase.LIFECYCLE_PHASE_AFTER;
const SILENCE_MS = 300;
const SLACK_MS = 10_000;

describe('a hook that is connected to one of two servers with sessions in Redis', () => {
  let redis: RedisServer;
  let postgres: PostgresServer;
  const servers: RunningMneme[] = [];
  let here: Clients;
  let there: Clients;
  const hooks: { stop(): void }[] = [];
  beforeEach(async () => {
    redis = await RedisServer.started();
    postgres = await PostgresServer.started({ parameters: { fsync: 'off' } });
    const env = { MNEME_REDIS_URL: redis.url, MNEME_POSTGRES_URL: postgres.url };
    servers.push(...(await Promise.all([startMneme({ env }), startMneme({ env })])));
    [here, there] = servers.map(({ address }) => connect(address)) as [Clients, Clients];
  }, 240_000);
  afterEach(async () => {
    for (const hook of hooks.splice(0)) hook.stop();
    for (const clients of [here, there]) clients.close();
    await Promise.all(servers.splice(0).map((server) => server.stop()));
    await redis.stop();
    await postgres.stop();
    postgres.remove();
  });

  async function offered(clients: Clients, ...[register, reply]: OfferedParameters) {
    const hook = await offerHook(clients, register, reply);
    hooks.push(hook);
    return hook;
  }
  const proceed = (metadata: Record<string, string> = {}) => ({ $case: 'proceed', value: { metadata } }) as const;

  it('before a transition at the other one › enriches, vetoes, and is in the reports', async () => {
    const parent = freshNamespace();
    const guard = await offered(here, { parent, hook: 'guard', phases: [BEFORE] }, ({ transition }) =>
      transition === LifecycleTransition.LIFECYCLE_TRANSITION_TERMINATE
        ? { $case: 'veto', value: 'not on Sundays' }
        : proceed({ account: '42' }),
    );
    const calls = sessionCalls(there);
    const { session, hookReports } = await calls.spawn({ parent, sessionId: 's', metadata: { run: '1' } });
    const refused = await refusal(calls.terminate({ session: session?.name ?? '' }));

    expect(session?.metadata).toEqual({ run: '1', account: '42' });
    expect(hookReports).toMatchObject([{ hook: 'guard', phase: BEFORE, result: HookResult.HOOK_RESULT_OK }]);
    expect(refused).toMatchObject({ code: 'FAILED_PRECONDITION', reason: 'HOOK_VETOED' });
    expect(refused.message).toContain('not on Sundays');
    expect(guard.asked).toHaveLength(2);
  });

  it('after a transition at the other one › observes it, and is in the reports', async () => {
    const parent = freshNamespace();
    const observer = await offered(here, { parent, hook: 'observer', phases: [AFTER] }, () => proceed());
    const { hookReports } = await sessionCalls(there).spawn({ parent, sessionId: 's' });

    expect(observer.asked).toMatchObject([{ phase: AFTER, session: { name: `${parent}/sessions/s` } }]);
    expect(hookReports).toMatchObject([{ hook: 'observer', phase: AFTER, result: HookResult.HOOK_RESULT_OK }]);
  });

  it('that does not answer › delays the other one by its timeout at most; a required one refuses', async () => {
    const parent = freshNamespace();
    const timeout = { seconds: 0n, nanos: SILENCE_MS * 1e6 };
    await offered(here, { parent, hook: 'slow', phases: [BEFORE], timeout }, () => 'silence');
    const calls = sessionCalls(there);
    const startedAtMs = performance.now();
    const { session, hookReports } = await calls.spawn({ parent, sessionId: 's' });
    expect(performance.now() - startedAtMs).toBeLessThan(SILENCE_MS + SLACK_MS);
    expect(hookReports).toMatchObject([{ hook: 'slow', result: HookResult.HOOK_RESULT_TIMED_OUT }]);

    await offered(here, { parent, hook: 'must', phases: [BEFORE], timeout, required: true }, () => 'silence');
    const refused = await refusal(calls.pause({ session: session?.name ?? '' }));
    expect(refused).toMatchObject({ reason: 'HOOK_VETOED' });
  });

  it('of the same name on both › is called once', async () => {
    const parent = freshNamespace();
    const both = await Promise.all(
      [here, there].map((clients) => offered(clients, { parent, hook: 'guard', phases: [BEFORE] }, () => proceed())),
    );
    const { hookReports } = await sessionCalls(there).spawn({ parent, sessionId: 's' });
    expect(hookReports).toHaveLength(1);
    expect(both.map(({ asked }) => asked.length)).toEqual([0, 1]);
  });

  it('that concerns another namespace or scope › is not called', async () => {
    const parent = freshNamespace();
    const elsewhere = { parent: freshNamespace(), hook: 'elsewhere', phases: [BEFORE, AFTER] };
    const others = await Promise.all([
      offered(here, elsewhere, () => proceed()),
      offered(here, { parent, hook: 'bobs', phases: [BEFORE], scope: scopeOf('bob') }, () => proceed()),
    ]);
    await sessionCalls(there).spawn({ parent, sessionId: 's', scope: { agent: 'ada' } });
    expect(others.map(({ asked }) => asked.length)).toEqual([0, 0]);
  });

  it('whose server is killed › is reported as unresponsive, then removed', async () => {
    const parent = freshNamespace();
    const timeout = { seconds: 0n, nanos: SILENCE_MS * 1e6 };
    const hook = await offered(here, { parent, hook: 'gone', phases: [BEFORE], timeout }, () => proceed());
    // The stream breaks off with the server.
    void hook.closed;
    await servers.shift()?.stop('SIGKILL');
    const calls = sessionCalls(there);
    const { hookReports } = await calls.spawn({ parent, sessionId: 's' });
    expect(hookReports).toMatchObject([{ hook: 'gone', result: HookResult.HOOK_RESULT_TIMED_OUT }]);
    let spawned = 0;
    await until('the lease has ended', async () => {
      const answer = await calls.spawn({ parent, sessionId: `again-${spawned++}` });
      return answer.hookReports.length === 0;
    });
  }, 240_000);
});

type OfferedParameters = [Parameters<typeof offerHook>[1], Parameters<typeof offerHook>[2]];
const scopeOf = (agent: string) => ({ namespace: '', project: '', agentType: '', agent, session: '' });
