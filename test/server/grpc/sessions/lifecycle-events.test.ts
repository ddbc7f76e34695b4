import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  AcknowledgeLifecycleEventsRequest,
  LifecyclePhase,
  LifecycleTransition,
} from '../../../../gen/ts/mneme/v1/lifecycle_service.ts';
import { ask, refusal, refusalOf } from '../support/ask.ts';
import { follow } from '../support/lifecycle-streams.ts';
import { freshNamespace } from '../support/memories.ts';
import { SESSION_BACKENDS, startSessionServer } from '../support/session-backends.ts';
import { type SessionCalls, sessionCalls } from '../support/sessions.ts';
import type { TestServer } from '../support/test-server.ts';

describe.each(SESSION_BACKENDS)('with sessions in %s', (backend) => {
  let mneme: TestServer;
  let calls: SessionCalls;
  const followers: { stop(): void }[] = [];
  beforeAll(async () => {
    mneme = await startSessionServer(backend);
    calls = sessionCalls(mneme);
  });
  afterEach(() => {
    for (const follower of followers.splice(0)) follower.stop();
  });
  afterAll(() => mneme.stop());

  function followed(request: Parameters<typeof follow>[1]) {
    const follower = follow(mneme, request);
    followers.push(follower);
    return follower;
  }

  const transitions = ({ event }: { event: { transition: LifecycleTransition } }) =>
    Object.entries(LifecycleTransition)
      .find(([, code]) => code === event.transition)?.[0]
      .slice(21);
  const acknowledge = (parent: string, consumer: string, resumeToken: string) =>
    ask(
      mneme.lifecycle,
      mneme.lifecycle.acknowledgeLifecycleEvents,
      AcknowledgeLifecycleEventsRequest.fromPartial({ parent, consumer, resumeToken }),
    );

  async function lived(parent: string, sessionId = 's') {
    const { session } = await calls.spawn({ parent, sessionId, scope: { agent: sessionId } });
    const name = session?.name ?? '';
    await calls.pause({ session: name, checkpointId: 'c', metadata: { why: 'lunch' } });
    await calls.resume({ session: name });
    await calls.terminate({ session: name });
  }

  describe('Events', () => {
    it('from the oldest › yields every transition once, in order, with its results', async () => {
      const parent = freshNamespace();
      await lived(parent);
      const follower = followed({ parent, start: { $case: 'fromOldest', value: true } });
      await follower.created();
      const events = [];
      for (let count = 0; count < 4; count++) events.push(await follower.next());

      expect(events.map(transitions)).toEqual(['SPAWN', 'PAUSE', 'RESUME', 'TERMINATE']);
      expect(events.every(({ event }) => event.phase === LifecyclePhase.LIFECYCLE_PHASE_AFTER)).toBe(true);
      expect(events[1]?.event).toMatchObject({ checkpointId: 'c', metadata: { why: 'lunch' } });
      expect(events[3]?.event.episode).toMatch(/\/memories\//);
      expect(new Set(events.map(({ event }) => event.id)).size).toBe(4);
    });

    it('without a start › yields events after the stream is open', async () => {
      const parent = freshNamespace();
      await lived(parent, 'before');
      const follower = followed({ parent });
      await follower.created();
      await lived(parent, 'later');

      expect((await follower.next()).event.session?.name).toBe(`${parent}/sessions/later`);
    });

    it('resumed with a token › continues after it', async () => {
      const parent = freshNamespace();
      await lived(parent);
      const first = followed({ parent, start: { $case: 'fromOldest', value: true } });
      await first.created();
      await first.next();
      const { token } = await first.next();
      first.stop();
      const second = followed({ parent, start: { $case: 'resumeToken', value: token } });

      expect(await second.created()).toBe(token);
      expect(transitions(await second.next())).toBe('RESUME');
    });

    it('of a consumer › starts after its last acknowledgement, which never moves back', async () => {
      const parent = freshNamespace();
      await lived(parent);
      const first = followed({ parent, start: { $case: 'fromOldest', value: true } });
      await first.created();
      const spawned = await first.next();
      const paused = await first.next();
      await acknowledge(parent, 'indexer', paused.token);
      const { resumeToken } = await acknowledge(parent, 'indexer', spawned.token);
      const second = followed({ parent, consumer: 'indexer' });

      expect(resumeToken).toBe(paused.token);
      await second.created();
      expect(transitions(await second.next())).toBe('RESUME');
    });

    it('with conditions › yields only matching sessions and transitions', async () => {
      const parent = freshNamespace();
      await lived(parent, 'ada');
      await lived(parent, 'bob');
      const follower = followed({
        parent,
        start: { $case: 'fromOldest', value: true },
        scope: { agent: 'bob' },
        transitions: [LifecycleTransition.LIFECYCLE_TRANSITION_TERMINATE],
      });
      await follower.created();

      expect((await follower.next()).event).toMatchObject({
        session: { name: `${parent}/sessions/bob` },
        transition: LifecycleTransition.LIFECYCLE_TRANSITION_TERMINATE,
      });
    });

    it('in silence › sends heartbeats', async () => {
      const parent = freshNamespace();
      await lived(parent);
      const follower = followed({ parent, heartbeatInterval: { seconds: 1n } });
      await follower.created();

      expect((await follower.messages.next()).message?.$case).toBe('heartbeat');
    });

    it('after a token that is kept no longer › OUT_OF_RANGE with REVISION_COMPACTED', async () => {
      const parent = freshNamespace();
      await lived(parent);
      const first = followed({ parent, start: { $case: 'fromOldest', value: true } });
      await first.created();
      const { token } = await first.next();
      await mneme.storage.events.erase({ beforeUs: Date.now() * 1000 + 1e6, limit: 1000 });
      const second = followed({ parent, start: { $case: 'resumeToken', value: token } });
      const failure = await second.messages.next().catch(refusalOf);

      expect(failure).toMatchObject({ code: 'OUT_OF_RANGE', reason: 'REVISION_COMPACTED' });
    });

    it('with a token of another namespace or no token at all › INVALID_ARGUMENT', async () => {
      const [parent, other] = [freshNamespace(), freshNamespace()];
      await lived(parent);
      await lived(other);
      const first = followed({ parent: other });
      const token = await first.created();

      for (const resumeToken of [token, 'x', '']) {
        const refused = await refusal(acknowledge(parent, 'c', resumeToken));
        expect([refused.code, refused.fields]).toEqual(['INVALID_ARGUMENT', ['resume_token']]);
      }
    });

    it('when the server stops › ends with UNAVAILABLE', async () => {
      const own = await startSessionServer(backend);
      const parent = freshNamespace();
      await sessionCalls(own).spawn({ parent });
      const follower = follow(own, { parent });
      await follower.created();
      const failure = follower.messages.next().catch(refusalOf);
      await own.stop();

      expect(await failure).toMatchObject({ code: 'UNAVAILABLE', reason: 'DRAINING' });
    });
  });
});
