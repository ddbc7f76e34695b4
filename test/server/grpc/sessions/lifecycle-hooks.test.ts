import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  GetSessionRequest,
  HookResult,
  LifecyclePhase,
  LifecycleTransition,
} from '../../../../gen/ts/mneme/v1/lifecycle_service.ts';
import { SessionState } from '../../../../gen/ts/mneme/v1/session.ts';
import type { HookVerdict } from '../../../../src/server/operations/sessions/lifecycle/hooks.ts';
import { ask, refusal, refusalOf } from '../support/ask.ts';
import { follow, offerHook } from '../support/lifecycle-streams.ts';
import { freshNamespace } from '../support/memories.ts';
import { SESSION_BACKENDS, startSessionServer } from '../support/session-backends.ts';
import { type SessionCalls, sessionCalls } from '../support/sessions.ts';
import type { TestServer } from '../support/test-server.ts';

describe.each(SESSION_BACKENDS)('with sessions in %s', (backend) => {
  const BEFORE = LifecyclePhase.LIFECYCLE_PHASE_BEFORE;
  const AFTER = LifecyclePhase.LIFECYCLE_PHASE_AFTER;

  let mneme: TestServer;
  let calls: SessionCalls;
  const hooks: { stop(): void }[] = [];
  beforeAll(async () => {
    mneme = await startSessionServer(backend);
    calls = sessionCalls(mneme);
  });
  afterEach(() => {
    for (const hook of hooks.splice(0)) hook.stop();
  });
  afterAll(() => mneme.stop());

  async function offered(...[register, reply]: [Parameters<typeof offerHook>[1], Parameters<typeof offerHook>[2]]) {
    const hook = await offerHook(mneme, register, reply);
    hooks.push(hook);
    return hook;
  }
  const proceed = (metadata: Record<string, string> = {}) => ({ $case: 'proceed', value: { metadata } }) as const;
  const stateOf = async (name: string) => {
    const request = GetSessionRequest.fromPartial({ session: name });
    return (await ask(mneme.lifecycle, mneme.lifecycle.getSession, request)).session?.state;
  };

  describe('a hook over gRPC', () => {
    it('before a transition › adds to its notes, and the report lists it', async () => {
      const parent = freshNamespace();
      const hook = await offered({ parent, hook: 'billing', phases: [BEFORE] }, () => proceed({ account: '42' }));
      const { session, hookReports } = await calls.spawn({ parent, sessionId: 's', metadata: { run: '1' } });

      expect(session?.metadata).toEqual({ run: '1', account: '42' });
      expect(hookReports).toMatchObject([{ hook: 'billing', phase: BEFORE, result: HookResult.HOOK_RESULT_OK }]);
      expect(hook.asked).toMatchObject([{ transition: LifecycleTransition.LIFECYCLE_TRANSITION_SPAWN, phase: BEFORE }]);
    });

    it('that vetoes › nothing changes, and the caller and followers of events get the reason', async () => {
      const parent = freshNamespace();
      const { session } = await calls.spawn({ parent, sessionId: 's' });
      const name = session?.name ?? '';
      await offered({ parent, hook: 'guard', phases: [BEFORE] }, () => ({ $case: 'veto', value: 'not on Sundays' }));
      const refused = await refusal(calls.terminate({ session: name }));
      const follower = follow(mneme, { parent, start: { $case: 'fromOldest', value: true } });
      hooks.push(follower);
      await follower.created();
      await follower.next();

      expect(refused).toMatchObject({
        code: 'FAILED_PRECONDITION',
        reason: 'HOOK_VETOED',
        metadata: { name, hook: 'guard', transition: 'terminate' },
      });
      expect(refused.message).toContain('not on Sundays');
      expect(await stateOf(name)).toBe(SessionState.SESSION_STATE_ACTIVE);
      expect((await follower.next()).event).toMatchObject({
        phase: LifecyclePhase.LIFECYCLE_PHASE_REFUSED,
        transition: LifecycleTransition.LIFECYCLE_TRANSITION_TERMINATE,
      });
    });

    it('after a transition › sees it durable, and cannot refuse it', async () => {
      const parent = freshNamespace();
      const hook = await offered({ parent, hook: 'audit', phases: [AFTER] }, () => ({ $case: 'veto', value: 'no' }));
      const { hookReports, session } = await calls.spawn({ parent });

      expect(hookReports).toMatchObject([{ hook: 'audit', phase: AFTER, result: HookResult.HOOK_RESULT_OK }]);
      expect(hook.asked[0]?.session?.name).toBe(session?.name);
    });

    it('that hangs › delays nothing beyond its timeout, and the report lists it', async () => {
      const parent = freshNamespace();
      await offered(
        { parent, hook: 'slow', phases: [BEFORE, AFTER], timeout: { seconds: 0n, nanos: 50_000_000 } },
        () => 'silence',
      );
      const { hookReports } = await calls.spawn({ parent });

      expect(hookReports.map(({ result, phase }) => [result, phase])).toEqual([
        [HookResult.HOOK_RESULT_TIMED_OUT, BEFORE],
        [HookResult.HOOK_RESULT_TIMED_OUT, AFTER],
      ]);
      for (const { duration } of hookReports) expect(duration?.nanos).toBeGreaterThan(40_000_000);
    });

    it('that fails › is reported and the transition continues; unless it is required', async () => {
      const parent = freshNamespace();
      const failing = () => ({ $case: 'failure', value: 'out of paper' }) as const;
      const hook = await offered({ parent, hook: 'printer', phases: [BEFORE] }, failing);
      const { hookReports } = await calls.spawn({ parent });
      hook.end();
      await hook.closed;
      await offered({ parent, hook: 'printer', phases: [BEFORE], required: true }, failing);

      expect(hookReports).toMatchObject([{ result: HookResult.HOOK_RESULT_FAILED, reason: 'out of paper' }]);
      expect(await refusal(calls.spawn({ parent }))).toMatchObject({ reason: 'HOOK_VETOED' });
    });

    it('whose stream ends while it is asked › is reported as failed, and asked no more', async () => {
      const parent = freshNamespace();
      const hook = await offered(
        { parent, hook: 'gone', phases: [BEFORE], timeout: { seconds: 10n, nanos: 0 } },
        () => {
          hook.stop();
          return 'silence';
        },
      );
      const first = await calls.spawn({ parent });
      const second = await calls.spawn({ parent });

      expect(first.hookReports).toMatchObject([{ result: HookResult.HOOK_RESULT_FAILED }]);
      expect(second.hookReports).toEqual([]);
    });

    it('of another namespace, scope or transition › is not asked', async () => {
      const parent = freshNamespace();
      const asked: string[] = [];
      const hook = (name: string, register: object) =>
        offered({ parent, hook: name, phases: [BEFORE], ...register }, () => {
          asked.push(name);
          return proceed();
        });
      await hook('elsewhere', { parent: freshNamespace() });
      await hook('bob', { scope: { namespace: '', project: '', agentType: '', agent: 'bob', session: '' } });
      await hook('pause', { transitions: [LifecycleTransition.LIFECYCLE_TRANSITION_PAUSE] });
      const { session } = await calls.spawn({ parent, scope: { agent: 'ada' } });
      await calls.pause({ session: session?.name ?? '' });

      expect(asked).toEqual(['pause']);
    });

    it('beyond the limit › RESOURCE_EXHAUSTED; badly registered › INVALID_ARGUMENT', async () => {
      const parent = freshNamespace();
      const own = await startSessionServer(backend, { maxHooks: '3' });
      try {
        const register = (name: string) => offerHook(own, { parent, hook: name, phases: [BEFORE] }, () => proceed());
        for (const name of ['a', 'b', 'c']) await register(name);

        const refused = await register('d').catch(refusalOf);
        expect(refused).toMatchObject({ code: 'RESOURCE_EXHAUSTED', reason: 'HOOKS_FULL' });
      } finally {
        await own.stop();
      }
      const bad = await offered({ parent: 'x', hook: 'a b', phases: [] }, () => proceed()).catch(refusalOf);
      expect(bad).toMatchObject({
        code: 'INVALID_ARGUMENT',
        fields: ['registration.phases', 'registration.parent', 'registration.hook'],
      });
    });

    it('beyond the limit of its caller › HOOKS_FULL names it, and the place of one that ends is free', async () => {
      const parent = freshNamespace();
      const own = await startSessionServer(backend, { maxHooksPerCaller: '2' });
      try {
        const register = (name: string) => offerHook(own, { parent, hook: name, phases: [BEFORE] }, () => proceed());
        const first = await register('a');
        await register('b');
        const refused = await register('c').catch(refusalOf);
        expect(refused).toMatchObject({ code: 'RESOURCE_EXHAUSTED', reason: 'HOOKS_FULL', metadata: { limit: '2' } });
        expect((refused as { message: string }).message).toContain('the caller');
        first.end();
        await first.closed;
        await register('c');
      } finally {
        await own.stop();
      }
    });

    it('with a repeated request › is asked once', async () => {
      const parent = freshNamespace();
      const hook = await offered({ parent, hook: 'once', phases: [BEFORE] }, () => proceed({ asked: 'yes' }));
      const request = { parent, requestId: 'r-1' };
      const first = await calls.spawn(request);
      const second = await calls.spawn(request);

      expect(hook.asked.length).toBe(1);
      expect(second.session?.metadata).toEqual(first.session?.metadata);
      expect(second.hookReports).toEqual(first.hookReports);
    });
  });

  describe('a hook in the process', () => {
    const answers: Record<string, () => HookVerdict | Promise<HookVerdict>> = {
      'adds notes': () => ({ metadata: { from: 'inside' } }),
      throws: () => {
        throw new Error('a defect');
      },
    };
    it.each([
      ['adds notes', HookResult.HOOK_RESULT_OK, { from: 'inside' }],
      ['throws', HookResult.HOOK_RESULT_FAILED, {}],
    ])('that %s › is reported', async (what, result, metadata) => {
      const hook = { name: 'own', phases: ['before'] as const, handle: answers[what] ?? (() => undefined) };
      const own = await startSessionServer(backend, {}, { hooks: [hook] });
      try {
        const { session, hookReports } = await sessionCalls(own).spawn({ parent: freshNamespace() });

        expect(session?.metadata).toEqual(metadata);
        expect(hookReports).toMatchObject([{ hook: 'own', result }]);
      } finally {
        await own.stop();
      }
    });
  });
});
