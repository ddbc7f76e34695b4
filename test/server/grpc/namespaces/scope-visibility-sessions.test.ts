import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  CreateAgentSnapshotRequest,
  DiffAgentSnapshotsRequest,
  ForkAgentSnapshotRequest,
  ListAgentSnapshotsRequest,
  RestoreAgentSnapshotRequest,
} from '../../../../gen/ts/mneme/v1/agent_service.ts';
import * as lifecycle from '../../../../gen/ts/mneme/v1/lifecycle_service.ts';
import { SetScopePolicyRequest } from '../../../../gen/ts/mneme/v1/scope_service.ts';
import * as working from '../../../../gen/ts/mneme/v1/working_memory_service.ts';
import { ask, refusal } from '../support/ask.ts';
import { callingFrom, type ScopedClients } from '../support/calling-from.ts';
import { reader } from '../support/lifecycle-streams.ts';
import { freshNamespace, store } from '../support/memories.ts';
import { SESSION_BACKENDS, startSessionServer } from '../support/session-backends.ts';
import { sessionCalls } from '../support/sessions.ts';
import type { TestServer } from '../support/test-server.ts';

type Seen = ScopedClients;
const ada = { project: 'p', agent: 'ada' };

describe.each(SESSION_BACKENDS)('sessions and snapshots of a private scope, in %s', (backend) => {
  let mneme: TestServer;
  let parent: string;
  /** The session that calls name: the private one, or another. */
  let session: string;
  let own: string;
  let count = 0;
  const callers: Record<'inside' | 'outside' | 'nobody', Seen> = {} as never;
  beforeAll(async () => {
    mneme = await startSessionServer(backend);
    callers.inside = callingFrom(mneme, 'project=p&agent=ada');
    callers.outside = callingFrom(mneme, 'project=p&agent=bob');
    callers.nobody = callingFrom(mneme, '');
    parent = freshNamespace();
    await store(mneme, parent, { text: 'tea of ada', scope: ada }, 'ada');
    const spawned = await sessionCalls(callers.inside).spawn({ parent, sessionId: 's', scope: ada });
    own = spawned.session?.name ?? '';
    session = own;
    await wm.set(callers.inside);
    await wm.checkpoint(callers.inside);
    const { agents, scopes } = callers.inside;
    await ask(
      agents,
      agents.createAgentSnapshot,
      CreateAgentSnapshotRequest.fromPartial({ parent, snapshotId: 'mine', scope: ada }),
    );
    const policy = { scope: ada, isPrivate: true };
    await ask(scopes, scopes.setScopePolicy, SetScopePolicyRequest.fromPartial({ parent, policy }));
  });
  afterAll(async () => {
    for (const each of Object.values(callers)) each.close();
    await mneme.stop();
  });

  const wm = {
    set: ({ wm }: Seen, key = 'k') =>
      ask(
        wm,
        wm.setValue,
        working.SetValueRequest.fromPartial({
          session,
          key,
          value: { mediaType: 'text/plain', body: { $case: 'data' as const, value: Buffer.from('v') } },
        }),
      ),
    checkpoint: ({ wm }: Seen) =>
      ask(wm, wm.createCheckpoint, working.CreateCheckpointRequest.fromPartial({ session, checkpointId: 'c1' })),
  };

  const ofSession: Record<string, (caller: Seen) => Promise<unknown>> = {
    Set: (caller) => wm.set(caller, 'other'),
    Get: ({ wm: c }) => ask(c, c.getValue, working.GetValueRequest.fromPartial({ session, key: 'k' })),
    BatchGet: ({ wm: c }) =>
      ask(c, c.batchGetValues, working.BatchGetValuesRequest.fromPartial({ session, keys: ['k'] })),
    Exists: ({ wm: c }) => ask(c, c.hasValue, working.HasValueRequest.fromPartial({ session, key: 'k' })),
    ListKeys: ({ wm: c }) => ask(c, c.listKeys, working.ListKeysRequest.fromPartial({ session })),
    GetAll: ({ wm: c }) => ask(c, c.getAllValues, working.GetAllValuesRequest.fromPartial({ session })),
    'GetAll of a checkpoint': ({ wm: c }) =>
      ask(c, c.getAllValues, working.GetAllValuesRequest.fromPartial({ session, checkpointId: 'c1' })),
    GetTaskState: ({ wm: c }) => ask(c, c.getTaskState, working.GetTaskStateRequest.fromPartial({ session })),
    AppendScratchpad: ({ wm: c }) =>
      ask(
        c,
        c.appendScratchpad,
        working.AppendScratchpadRequest.fromPartial({
          session,
          notes: [{ mediaType: 'text/plain', body: { $case: 'data' as const, value: Buffer.from('n') } }],
        }),
      ),
    ListScratchpad: ({ wm: c }) => ask(c, c.listScratchpad, working.ListScratchpadRequest.fromPartial({ session })),
    ListCheckpoints: ({ wm: c }) => ask(c, c.listCheckpoints, working.ListCheckpointsRequest.fromPartial({ session })),
    GetCheckpoint: ({ wm: c }) =>
      ask(c, c.getCheckpoint, working.GetCheckpointRequest.fromPartial({ session, checkpointId: 'c1' })),
    DiffCheckpoints: ({ wm: c }) =>
      ask(c, c.diffCheckpoints, working.DiffCheckpointsRequest.fromPartial({ session, checkpointId: 'c1' })),
    ForkCheckpoint: ({ wm: c }) =>
      ask(
        c,
        c.forkCheckpoint,
        working.ForkCheckpointRequest.fromPartial({
          session,
          checkpointId: 'c1',
          targetSession: `${parent}/sessions/fork-${++count}`,
        }),
      ),
    GetStats: ({ wm: c }) =>
      ask(c, c.getWorkingMemoryStatistics, working.GetWorkingMemoryStatisticsRequest.fromPartial({ session })),
    Watch: async ({ wm: c }) => {
      const stream = reader(c.watchSession(working.WatchSessionRequest.fromPartial({ session })));
      await stream.next().finally(() => stream.stop());
    },
    GetSession: ({ lifecycle: c }) =>
      ask(c, c.getSession, lifecycle.GetSessionRequest.fromPartial({ session: session })),
    Pause: (caller) => sessionCalls(caller).pause({ session: session }),
    Resume: (caller) => sessionCalls(caller).resume({ session: session }),
  };
  /** Writes that create a missing session: the id of the private one is in use. */
  const CREATING = new Set(['Set', 'AppendScratchpad']);

  /** How a call that names a session ends, without the name. */
  async function endOf(call: (caller: Seen) => Promise<unknown>, caller: Seen, name: string): Promise<unknown> {
    session = name;
    try {
      return await call(caller).then(
        (answer) => withoutTimes(answer, name),
        async (error: unknown) => {
          // Each call has an id of its own.
          const { requestId: _, ...seen } = await refusal(Promise.reject(error));
          return withoutTimes(seen, name);
        },
      );
    } finally {
      session = own;
    }
  }

  it.each(Object.keys(ofSession))(
    '%s of a session in it › is answered outside like a missing session',
    async (method) => {
      const call = ofSession[method] as (caller: Seen) => Promise<unknown>;
      for (const caller of [callers.outside, callers.nobody]) {
        const hidden = await endOf(call, caller, own);
        if (CREATING.has(method)) expect(hidden).toContain('SCOPE_PRIVATE');
        else expect(hidden).toEqual(await endOf(call, caller, `${parent}/sessions/gone`));
      }
      expect(await endOf(call, callers.inside, own)).not.toContain('SESSION_NOT_FOUND');
    },
  );

  it('snapshots of its agent › can be listed, compared, restored and forked from inside only', async () => {
    const one = { parent, snapshotId: 'mine' };
    const calls: ((caller: Seen) => Promise<unknown>)[] = [
      ({ agents }) => ask(agents, agents.diffAgentSnapshots, DiffAgentSnapshotsRequest.fromPartial(one)),
      ({ agents }) => ask(agents, agents.restoreAgentSnapshot, RestoreAgentSnapshotRequest.fromPartial(one)),
      ({ agents }) =>
        ask(
          agents,
          agents.forkAgentSnapshot,
          ForkAgentSnapshotRequest.fromPartial({ ...one, toScope: { agent: 'eve' } }),
        ),
      ({ agents }) =>
        ask(
          agents,
          agents.createAgentSnapshot,
          CreateAgentSnapshotRequest.fromPartial({ parent, snapshotId: `x-${++count}`, scope: { agent: 'ada' } }),
        ),
    ];
    for (const [at, call] of calls.entries()) {
      const isOfSnapshot = at < calls.length - 1;
      for (const caller of [callers.outside, callers.nobody]) {
        expect(await refusal(call(caller))).toMatchObject(
          isOfSnapshot
            ? { code: 'NOT_FOUND', reason: 'SNAPSHOT_NOT_FOUND', metadata: { snapshot: 'mine' } }
            : { code: 'PERMISSION_DENIED', reason: 'SCOPE_PRIVATE' },
        );
      }
      await call(callers.inside);
    }
    const listed = async ({ agents }: Seen) =>
      (await ask(agents, agents.listAgentSnapshots, ListAgentSnapshotsRequest.fromPartial({ parent }))).snapshots;
    expect(await listed(callers.outside)).toEqual([]);
    expect((await listed(callers.inside)).map(({ id }) => id)).toContain('mine');
  });
});

/** Texts of answers and refusals that can be compared: without the name of the session, and without instants. */
function withoutTimes(answer: unknown, name: string): string {
  const text = JSON.stringify(answer ?? 'nothing', (key, value: unknown) =>
    typeof value === 'bigint' ? String(value) : /time|token|revision|trailer/i.test(key) ? undefined : value,
  );
  return text.replaceAll(name, 'the session');
}
