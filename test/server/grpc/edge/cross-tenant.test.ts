import { Client, credentials, type Metadata } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CreateAgentSnapshotRequest } from '../../../../gen/ts/mneme/v1/agent_service.ts';
import { CountMemoriesRequest, StoreMemoryRequest } from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { ListNamespacesRequest } from '../../../../gen/ts/mneme/v1/namespace_service.ts';
import { CreateSubscriptionRequest } from '../../../../gen/ts/mneme/v1/subscription_service.ts';
import { CreateCheckpointRequest, SetValueRequest } from '../../../../gen/ts/mneme/v1/working_memory_service.ts';
import { METHODS } from '../../../../src/server/grpc/edge/permissions.ts';
import { ask } from '../support/ask.ts';
import { Identities } from '../support/identities.ts';
import { type Method, methodsOfApi, requestWith } from '../support/named-requests.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { WatchedStorage } from '../support/watched-storage.ts';
import { type Outcome, wireCall } from '../support/wire-call.ts';

const ALL_VERBS = ['read', 'write', 'delete', 'admin'];
const SECRET = 'zanzibar';

const storage = new WatchedStorage();
let mneme: TestServer;
let identities: Identities;
let methods: Method[];
let raw: Client;
beforeAll(async () => {
  identities = new Identities({
    operator: [{ namespaces: ['*'], verbs: ALL_VERBS }],
    mallory: [{ namespaces: ['tenant-a', 'tenant-a-*'], verbs: ALL_VERBS }],
    nobody: [],
  });
  mneme = await startTestServer({ ...identities.flags, extractor: 'client' }, { storage: storage.watch });
  raw = new Client(mneme.address, credentials.createInsecure());
  methods = await methodsOfApi();
  await fill('tenant-a', 'plain');
  await fill('tenant-b', SECRET);
});
afterAll(async () => {
  raw.close();
  await mneme.stop();
  identities.remove();
});

async function fill(namespace: string, word: string): Promise<void> {
  const metadata = identities.headers('operator');
  const parent = `namespaces/${namespace}`;
  const session = `${parent}/sessions/${word}-session`;
  const memory = { text: `the ${word} word`, scope: { agent: 'ada' } };
  const { memories, working, agents, subscriptions } = mneme;
  await ask(
    memories,
    memories.storeMemory,
    StoreMemoryRequest.fromPartial({ parent, memory, memoryId: `${word}-id` }),
    {
      metadata,
    },
  );
  const value = { body: { $case: 'text' as const, value: word } };
  await ask(working, working.setValue, SetValueRequest.fromPartial({ session, key: word, value }), { metadata });
  await ask(working, working.createCheckpoint, CreateCheckpointRequest.fromPartial({ session, checkpointId: word }), {
    metadata,
  });
  const snapshot = { parent, scope: { agent: 'ada' }, snapshotId: `${word}-snapshot` };
  await ask(agents, agents.createAgentSnapshot, CreateAgentSnapshotRequest.fromPartial(snapshot), { metadata });
  const subscription = { parent, subscriptionId: `${word}-feed`, subscription: {} };
  await ask(subscriptions, subscriptions.createSubscription, CreateSubscriptionRequest.fromPartial(subscription), {
    metadata,
  });
}

/** The name of a resource of the kind that a field names. */
function nameFor({ path }: Pick<Method, 'path'>, field: string, namespace: string, word: string): string {
  const parent = `namespaces/${namespace}`;
  const last = field.slice(field.lastIndexOf('.') + 1);
  if (last === 'parent' || path.includes('NamespaceService/')) return parent;
  if (/session|conversation/.test(last)) return `${parent}/sessions/${word}-session`;
  if (path.includes('SubscriptionService/')) return `${parent}/subscriptions/${word}-feed`;
  return `${parent}/memories/${word}-id`;
}

const call = (method: Pick<Method, 'path' | 'kind'>, request: Buffer, metadata: Metadata): Promise<Outcome> =>
  wireCall(raw, method, request, metadata);

/** What a caller learns, with the name of the namespace taken out. */
function learned({ refusal, answers }: Outcome, namespace: string): object {
  if (!refusal) return { answers: answers.length };
  const text = JSON.stringify([refusal.code, refusal.reason, refusal.message, refusal.metadata, refusal.fields]);
  return { refused: text.replaceAll(namespace, '?') };
}

const isOpen = ({ path }: Method): boolean => {
  const [, service = '', method = ''] = /^mneme[.]v1[.](\w+)\/(\w+)$/.exec(path) ?? [];
  return METHODS[service]?.[method] === '';
};

describe('a principal of one tenant that names another', () => {
  it.each(['mallory', 'nobody'])(
    '%s › every method refuses before it reads anything, alike for what is there and what is missing',
    async (who) => {
      const found: Record<string, object> = {};
      const metadata = identities.headers(who);
      for (const method of methods.filter((one) => !isOpen(one))) {
        const ask = (namespace: string, word: string) => {
          const values = method.fields.map((field) => [field, nameFor(method, field, namespace, word)] as const);
          return call(method, requestWith(method.input, Object.fromEntries(values)), metadata);
        };
        const existing = await ask('tenant-b', SECRET);
        const missing = await ask('tenant-q', 'nowhere');
        // What is not read takes no time: it tells nothing apart.
        expect([method.path, storage.takeOf(who)]).toEqual([method.path, []]);
        expect([method.path, existing.refusal?.code, existing.refusal?.reason]).toEqual([
          method.path,
          'PERMISSION_DENIED',
          'PERMISSION_MISSING',
        ]);
        expect([method.path, learned(existing, 'tenant-b')]).toEqual([method.path, learned(missing, 'tenant-q')]);
        expect(Buffer.concat(existing.answers).includes(SECRET)).toBe(false);
        expect(existing.refusal?.message).not.toContain(SECRET);
        found[method.path] = learned(existing, 'tenant-b');
      }
      expect(Object.keys(found).length).toBeGreaterThan(100);
    },
  );

  it('one foreign name among own ones › every field of every method refuses', async () => {
    const metadata = identities.headers('mallory');
    for (const method of methods.filter((one) => !isOpen(one))) {
      for (const foreign of method.fields) {
        // Messages of a stream are alternatives.
        const isOne = method.kind === 'bidi_streaming';
        const fields = isOne ? method.fields.filter((field) => firstOf(field) === firstOf(foreign)) : method.fields;
        const values = fields.map((field) => {
          const [namespace, word] = field === foreign ? ['tenant-b', SECRET] : ['tenant-a', 'plain'];
          return [field, nameFor(method, field, namespace ?? '', word ?? '')] as const;
        });
        const { refusal, answers } = await call(
          method,
          requestWith(method.input, Object.fromEntries(values)),
          metadata,
        );
        expect([method.path, foreign, refusal?.reason]).toEqual([method.path, foreign, 'PERMISSION_MISSING']);
        expect(answers).toEqual([]);
        expect([method.path, foreign, storage.takeOf('mallory')]).toEqual([method.path, foreign, []]);
      }
    }
  });

  it('methods that name nothing › answer without a word of other tenants', async () => {
    for (const method of methods.filter((one) => isOpen(one) && one.kind === 'unary')) {
      const { answers, refusal } = await call(method, Buffer.alloc(0), identities.headers('mallory'));
      expect([method.path, refusal]).toEqual([method.path, undefined]);
      expect([method.path, Buffer.concat(answers).includes('tenant-b')]).toEqual([method.path, false]);
    }
    const { namespaces } = mneme;
    const listed = await ask(namespaces, namespaces.listNamespaces, ListNamespacesRequest.fromPartial({}), {
      metadata: identities.headers('mallory'),
    });
    expect(listed.namespaces.map(({ name }) => name)).toEqual(['namespaces/tenant-a']);
    // Calls that are served are noted.
    expect(storage.takeOf('mallory')).toContain('store.listNamespaces');
  });

  it('after all that › the other tenant is as it was', async () => {
    const { memories } = mneme;
    const { count } = await ask(
      memories,
      memories.countMemories,
      CountMemoriesRequest.fromPartial({ parent: 'namespaces/tenant-b' }),
      { metadata: identities.headers('operator') },
    );
    expect(Number(count)).toBe(1);
  });
});

const firstOf = (field: string): string => field.split('.')[0] ?? '';
