import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  AcknowledgeLifecycleEventsRequest,
  LifecyclePhase,
  LifecycleTransition,
} from '../../gen/ts/mneme/v1/lifecycle_service.ts';
import { type RunningMneme, startMneme } from '../cli/support/start-mneme.ts';
import { ask, refusal } from '../server/grpc/support/ask.ts';
import { follow, offerHook } from '../server/grpc/support/lifecycle-streams.ts';
import { freshNamespace } from '../server/grpc/support/memories.ts';
import { SESSION_BACKENDS } from '../server/grpc/support/session-backends.ts';
import { sessionCalls } from '../server/grpc/support/sessions.ts';
import { type Clients, connect } from '../server/grpc/support/test-server.ts';
import { firstOrAll } from '../support/all-tests.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { until } from '../support/redis-cluster.ts';
import { RedisServer } from '../support/redis-server.ts';

const CONSUMER = 'observer';
const TIMEOUT = { seconds: 10n, nanos: 0 };
const { LIFECYCLE_TRANSITION_SPAWN: SPAWN } = LifecycleTransition;
const MOVES = [
  ['pause', LifecycleTransition.LIFECYCLE_TRANSITION_PAUSE],
  ['terminate', LifecycleTransition.LIFECYCLE_TRANSITION_TERMINATE],
] as const;

describe.each(firstOrAll(SESSION_BACKENDS))(
  'a server killed while it calls an after-hook, with sessions in %s',
  (backend) => {
    let data: string;
    let redis: RedisServer | undefined;
    let postgres: PostgresServer | undefined;
    let server: RunningMneme;
    let clients: Clients;
    beforeEach(async () => {
      data = mkdtempSync(join(tmpdir(), 'mneme-after-hook-'));
      redis = backend.startsWith('redis') ? await RedisServer.started() : undefined;
      postgres = backend.endsWith('postgres')
        ? await PostgresServer.started({ parameters: { fsync: 'off' } })
        : undefined;
      await start();
    });
    afterEach(async () => {
      clients.close();
      await server.stop('SIGKILL');
      await redis?.stop();
      await postgres?.stop();
      postgres?.remove();
      rmSync(data, { recursive: true, force: true });
    });

    async function start(): Promise<void> {
      const env = {
        ...(redis && { MNEME_REDIS_URL: redis.url }),
        ...(postgres && { MNEME_POSTGRES_URL: postgres.url }),
      };
      server = await startMneme({ data, isQuiet: true, env });
      clients = connect(server.address);
    }
    async function killAndStart(): Promise<void> {
      await server.stop('SIGKILL');
      clients.close();
      await start();
    }
    /** The next event of the consumer, and its token. */
    async function nextOf(parent: string, from: Partial<Parameters<typeof follow>[1]> = {}) {
      const follower = follow(clients, { parent, consumer: CONSUMER, ...from });
      await follower.created();
      const { event, token } = await follower.next();
      follower.stop();
      return { event, token };
    }
    const acknowledge = (parent: string, resumeToken: string) =>
      ask(
        clients.lifecycle,
        clients.lifecycle.acknowledgeLifecycleEvents,
        AcknowledgeLifecycleEventsRequest.fromPartial({ parent, consumer: CONSUMER, resumeToken }),
      );

    /** A session whose move is done and waits for the answer of its after-hook, which never comes. */
    async function moved([move, transition]: (typeof MOVES)[number]) {
      const parent = freshNamespace();
      const name = `${parent}/sessions/s`;
      await sessionCalls(clients).spawn({ parent, sessionId: 's' });
      const spawned = await nextOf(parent, { start: { $case: 'fromOldest', value: true } });
      await acknowledge(parent, spawned.token);

      const phases = [LifecyclePhase.LIFECYCLE_PHASE_AFTER];
      const hook = await offerHook(clients, { parent, hook: 'h', phases, timeout: TIMEOUT }, () => 'silence');
      const answer = refusal(sessionCalls(clients)[move]({ session: name }));
      await until('the hook is asked', async () => hook.asked.length > 0);
      return { parent, name, transition, spawned, hook, answer };
    }

    // Both moves of one server, as each start of it takes a second of CPU.
    it('pause and terminate › only their answers are lost: the event is delivered until it is acknowledged, and then no more', async () => {
      const sessions = await Promise.all(MOVES.map(moved));
      await killAndStart();
      const delivered = await Promise.all(
        sessions.map(async ({ parent, name, transition, spawned, hook, answer }) => {
          expect((await answer).code).toBe('UNAVAILABLE');
          await hook.closed;
          const received = await nextOf(parent);
          expect(spawned.event.transition).toBe(SPAWN);
          expect(received.event).toMatchObject({
            transition,
            phase: LifecyclePhase.LIFECYCLE_PHASE_AFTER,
            session: { name },
          });
          expect(received.event.id).toBe(hook.asked[0]?.id);
          return { parent, received };
        }),
      );
      // A consumer that dies before the acknowledgement gets it again.
      await killAndStart();
      for (const { parent, received } of delivered) {
        const again = await nextOf(parent);
        expect(again).toEqual(received);
        await acknowledge(parent, again.token);
      }
      await killAndStart();
      for (const { parent } of delivered) {
        await sessionCalls(clients).spawn({ parent, sessionId: 'next' });
        expect((await nextOf(parent)).event).toMatchObject({
          transition: SPAWN,
          session: { name: `${parent}/sessions/next` },
        });
      }
    }, 240_000);
  },
);
