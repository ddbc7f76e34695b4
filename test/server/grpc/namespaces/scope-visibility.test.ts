import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as lifecycle from '../../../../gen/ts/mneme/v1/lifecycle_service.ts';
import * as memory from '../../../../gen/ts/mneme/v1/memory_service.ts';
import {
  DemoteMemoriesRequest,
  ExportMemoriesRequest,
  PromoteMemoriesRequest,
} from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { ListScopesRequest } from '../../../../gen/ts/mneme/v1/namespace_service.ts';
import {
  RecallRequest,
  SubscribeRecallRequest,
  WatchMemoriesRequest,
} from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { SetScopePolicyRequest } from '../../../../gen/ts/mneme/v1/scope_service.ts';
import { CreateSubscriptionRequest } from '../../../../gen/ts/mneme/v1/subscription_service.ts';
import { ask, refusal } from '../support/ask.ts';
import { callingFrom, type ScopedClients } from '../support/calling-from.ts';
import { follow, reader } from '../support/lifecycle-streams.ts';
import { freshNamespace, store } from '../support/memories.ts';
import { SESSION_BACKENDS, startSessionServer } from '../support/session-backends.ts';
import { sessionCalls } from '../support/sessions.ts';
import type { TestServer } from '../support/test-server.ts';

type Seen = ScopedClients;

const ADA = 'project=p&agent=ada';
const ada = { project: 'p', agent: 'ada' };

describe.each(SESSION_BACKENDS)('a private scope, with sessions in %s', (backend) => {
  let mneme: TestServer;
  let parent: string;
  let name: string;
  let count = 0;
  const callers: Record<'inside' | 'outside' | 'nobody' | 'operator', Seen> = {} as never;
  beforeAll(async () => {
    mneme = await startSessionServer(backend);
    callers.inside = callingFrom(mneme, ADA);
    callers.outside = callingFrom(mneme, 'project=p&agent=bob');
    callers.nobody = callingFrom(mneme, '');
    callers.operator = callingFrom(mneme, '*');
    parent = freshNamespace();
    const step = { step: 1n, type: 'state', eventTime: { seconds: 1_700_000_000n, nanos: 0 } };
    const content = {
      mediaType: 'application/json',
      body: { $case: 'data' as const, value: Buffer.from('{"mood":"well"}') },
    };
    await store(mneme, parent, { text: 'tea of ada', scope: ada, ...step, content }, 'ada');
    await store(mneme, parent, { text: 'tea of bob', scope: { project: 'p', agent: 'bob' }, ...step, content }, 'bob');
    name = `${parent}/memories/ada`;
    const calls = sessionCalls(callers.inside);
    await calls.spawn({ parent, sessionId: 's', scope: ada });
    const { scopes } = callers.inside;
    await sessionCalls(mneme).spawn({ parent, sessionId: 'bobs', scope: { project: 'p', agent: 'bob' } });
    const policy = { scope: ada, isPrivate: true };
    await ask(scopes, scopes.setScopePolicy, SetScopePolicyRequest.fromPartial({ parent, policy }));
  });
  afterAll(async () => {
    for (const each of Object.values(callers)) {
      each.close();
    }
    await mneme.stop();
  });

  /** The output of each method for the memories `ada` and `bob`. */
  const reads: Record<string, (caller: Seen) => Promise<string[]>> = {
    Recall: async ({ recalls }) => {
      const request = RecallRequest.fromPartial({ minRelevance: 0, parent, text: 'tea', limit: 9 });
      return (await ask(recalls, recalls.recall, request)).hits.map(({ memory: hit }) => hit?.name ?? '');
    },
    'Recall by preset': async ({ recalls }) => {
      const request = RecallRequest.fromPartial({ parent, limit: 9, preset: { name: 'recent' } });
      return (await ask(recalls, recalls.recall, request)).hits.map(({ memory: hit }) => hit?.name ?? '');
    },
    BatchGet: async ({ memories }) => {
      const request = memory.BatchGetMemoriesRequest.fromPartial({ parent, names: [name, `${parent}/memories/bob`] });
      return (await ask(memories, memories.batchGetMemories, request)).memories.map((one) => one.name);
    },
    List: async ({ memories }) => {
      const answer = await ask(memories, memories.listMemories, memory.ListMemoriesRequest.fromPartial({ parent }));
      return answer.memories.map((one) => one.name);
    },
    GetSnapshots: async ({ memories }) => {
      const request = memory.GetStatesAtStepsRequest.fromPartial({ parent, steps: [1n], type: 'state', scope: ada });
      const answer = await ask(memories, memories.getStatesAtSteps, request);
      const bobs = `${parent}/memories/bob`;
      return [bobs, ...answer.states.flatMap(({ memory: one }) => one?.name ?? [])];
    },
    GetChangeHistory: async ({ memories }) => {
      const request = memory.GetAttributeHistoryRequest.fromPartial({
        parent,
        path: 'mood',
        type: 'state',
        scope: ada,
      });
      const answer = await ask(memories, memories.getAttributeHistory, request);
      return [`${parent}/memories/bob`, ...answer.changes.flatMap((change) => change.name)];
    },
    GetSequence: async ({ memories }) => {
      const request = memory.GetMemorySequenceRequest.fromPartial({
        name: `${parent}/memories/bob`,
        beforeCount: 5,
        afterCount: 5,
      });
      const answer = await ask(memories, memories.getMemorySequence, request);
      return [...answer.before, answer.memory, ...answer.after].flatMap((one) => one?.name ?? []);
    },
    Export: async ({ memories: client }) => {
      const names: string[] = [];
      for await (const { memories } of client.exportMemories(ExportMemoriesRequest.fromPartial({ parent }))) {
        names.push(...(memories as { name: string }[]).map((one) => one.name));
      }
      return names;
    },
    ListScopes: async ({ namespaces }) => {
      const answer = await ask(namespaces, namespaces.listScopes, ListScopesRequest.fromPartial({ parent }));
      return answer.scopes.map(({ scope }) => `${parent}/memories/${scope?.agent}`);
    },
    ListSessions: async (caller) => {
      const request = lifecycle.ListSessionsRequest.fromPartial({ parent });
      const { sessions } = await ask(caller.lifecycle, caller.lifecycle.listSessions, request);
      return sessions.map(({ scope }) => `${parent}/memories/${scope?.agent}`);
    },
    Watch: async ({ recalls }) => {
      const request = WatchMemoriesRequest.fromPartial({ parent, startRevision: 1n });
      const stream = reader(recalls.watchMemories(request));
      const names: string[] = [];
      for (;;) {
        const { event } = await stream.next();
        if (event?.$case === 'batch') {
          names.push(
            ...event.value.changes.flatMap((change) => (change.name.includes('/memories/') ? change.name : [])),
          );
        }
        if (event?.$case === 'progress') break;
      }
      stream.stop();
      return names;
    },
    Subscribe: async ({ recalls }) => {
      const query = RecallRequest.fromPartial({ minRelevance: 0, parent, text: 'tea', limit: 9 });
      const stream = reader(recalls.subscribeRecall(SubscribeRecallRequest.fromPartial({ query })));
      for (;;) {
        const { event } = await stream.next();
        if (event?.$case !== 'batch') continue;
        stream.stop();
        return event.value.events.map((one) => one.name);
      }
    },
    Events: async (caller) => {
      const followed = follow(caller, { parent, start: { $case: 'fromOldest', value: true } });
      const agents: string[] = [];
      while (!agents.includes('bob')) agents.push((await followed.next()).event.session?.scope?.agent ?? '');
      followed.stop();
      return agents.map((agent) => `${parent}/memories/${agent}`);
    },
  };

  it.each(Object.keys(reads))('%s › tells only those inside, and operators, of what is in it', async (method) => {
    const read = reads[method] as (caller: Seen) => Promise<string[]>;
    const both = [name, `${parent}/memories/bob`].sort();
    const seen = async (caller: Seen) => [...new Set(await read(caller))].sort();
    expect(await seen(callers.inside)).toEqual(both);
    expect(await seen(callers.operator)).toEqual(both);
    expect(await seen(callers.outside)).toEqual([both[1]]);
    expect(await seen(callers.nobody)).toEqual([both[1]]);
  });

  const named: Record<string, (caller: Seen) => Promise<unknown>> = {
    Get: ({ memories }) => ask(memories, memories.getMemory, memory.GetMemoryRequest.fromPartial({ name })),
    ListRevisions: ({ memories }) =>
      ask(memories, memories.listMemoryRevisions, memory.ListMemoryRevisionsRequest.fromPartial({ name })),
    GetSequence: ({ memories }) =>
      ask(memories, memories.getMemorySequence, memory.GetMemorySequenceRequest.fromPartial({ name })),
    'Recall by similar memory': ({ recalls }) =>
      ask(recalls, recalls.recall, RecallRequest.fromPartial({ parent, similarTo: name, limit: 3 })),
    Update: ({ memories }) =>
      ask(
        memories,
        memories.updateMemory,
        memory.UpdateMemoryRequest.fromPartial({ memory: { name, importance: 0.5 }, updateMask: ['importance'] }),
      ),
    SetImportance: ({ memories }) =>
      ask(
        memories,
        memories.setMemoryImportance,
        memory.SetMemoryImportanceRequest.fromPartial({ name, importance: 0.7 }),
      ),
    Demote: ({ memories }) =>
      ask(memories, memories.demoteMemories, DemoteMemoriesRequest.fromPartial({ parent, names: [name] })),
    Promote: ({ memories }) =>
      ask(memories, memories.promoteMemories, PromoteMemoriesRequest.fromPartial({ parent, names: [name] })),
  };
  it.each(Object.keys(named))('%s of a memory in it › finds nothing from outside', async (method) => {
    const call = named[method] as (caller: Seen) => Promise<unknown>;
    const hidden = { code: 'NOT_FOUND', reason: 'MEMORY_NOT_FOUND' };
    expect(await refusal(call(callers.outside))).toMatchObject(hidden);
    expect(await refusal(call(callers.nobody))).toMatchObject(hidden);
    await call(callers.inside);
  });

  it('Forget and Delete from outside › leave it alone', async () => {
    const { memories } = callers.outside;
    const forgotten = await ask(
      memories,
      memories.forgetMemories,
      memory.ForgetMemoriesRequest.fromPartial({ parent, selection: { $case: 'all', value: true } } as never),
    ).catch(() => undefined);
    expect(JSON.stringify(forgotten ?? '')).not.toContain(name);
    expect(
      await refusal(ask(memories, memories.deleteMemory, memory.DeleteMemoryRequest.fromPartial({ name }))),
    ).toMatchObject({
      reason: 'MEMORY_NOT_FOUND',
    });
    await named.Get?.(callers.inside);
  });

  it('Store that would replace it from outside › is refused', async () => {
    const replacing = memory.StoreMemoryRequest.fromPartial({ parent, memory: { text: 'x' }, memoryId: 'ada' });
    const { memories } = callers.outside;
    expect(await refusal(ask(memories, memories.storeMemory, replacing))).toMatchObject({
      code: 'PERMISSION_DENIED',
      reason: 'SCOPE_PRIVATE',
    });
  });

  it('a durable subscription to it › is available only to callers inside', async () => {
    const create = ({ subscriptions }: Seen) =>
      ask(
        subscriptions,
        subscriptions.createSubscription,
        CreateSubscriptionRequest.fromPartial({
          parent,
          subscriptionId: `s${++count}`,
          subscription: { scope: ada },
        }),
      );
    expect(await refusal(create(callers.outside))).toMatchObject({ reason: 'SCOPE_PRIVATE' });
    await create(callers.inside);
  });

  it.each(['agents=ada', 'agent=a&agent=b', `agent=${'x'.repeat(2000)}`])(
    'the header %.20s › is refused by its name',
    async (header) => {
      const caller = callingFrom(mneme, header);
      const call = ask(
        caller.memories,
        caller.memories.listMemories,
        memory.ListMemoriesRequest.fromPartial({ parent }),
      );
      expect(await refusal(call)).toMatchObject({ code: 'INVALID_ARGUMENT', fields: ['mneme-scope'] });
      caller.wm.close();
      caller.close();
    },
  );
});
