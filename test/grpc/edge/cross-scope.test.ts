import { Client, credentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SpawnSessionRequest } from '../../../gen/ts/mneme/v1/lifecycle_service.ts';
import { StoreMemoryRequest } from '../../../gen/ts/mneme/v1/memory_service.ts';
import { CreateSubscriptionRequest } from '../../../gen/ts/mneme/v1/subscription_service.ts';
import { SetValueRequest } from '../../../gen/ts/mneme/v1/working_memory_service.ts';
import { METHODS } from '../../../src/grpc/edge/permissions.ts';
import { ask, refusalOf } from '../support/ask.ts';
import { Identities } from '../support/identities.ts';
import { type Method, methodsOfApi, requestWith } from '../support/named-requests.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const SECRET = 'zanzibar';
const PARENT = 'namespaces/own';

let mneme: TestServer;
let identities: Identities;
let methods: Method[];
let raw: Client;
beforeAll(async () => {
  identities = new Identities({
    operator: [{ namespaces: ['*'], verbs: ['read', 'write', 'delete', 'admin'] }],
    ada: [{ namespaces: ['own'], verbs: ['read', 'write', 'delete'], scopes: ['project=p'] }],
  });
  mneme = await startTestServer(identities.flags);
  raw = new Client(mneme.address, credentials.createInsecure());
  const isScoped = (path: string) => {
    const [, service = '', method = ''] = /^mneme[.]v1[.](\w+)\/(\w+)$/.exec(path) ?? [];
    return METHODS[service]?.[method]?.split(' ')[0]?.endsWith('~');
  };
  methods = (await methodsOfApi()).filter(({ path, kind }) => kind === 'unary' && isScoped(path));
  await fill();
});
afterAll(async () => {
  raw.close();
  await mneme.stop();
  identities.remove();
});

/** Things of another scope, each with the secret in it. */
async function fill(): Promise<void> {
  const metadata = identities.headers('operator');
  const scope = { project: 'q', agent: 'eve' };
  const { memories, lifecycle, working, subscriptions } = mneme;
  const memory = { text: `the ${SECRET} word`, scope, type: 'note', step: 1n };
  const store = StoreMemoryRequest.fromPartial({ parent: PARENT, memory, memoryId: 'hidden' });
  await ask(memories, memories.storeMemory, store, { metadata });
  const spawn = SpawnSessionRequest.fromPartial({ parent: PARENT, sessionId: 'hidden', scope });
  await ask(lifecycle, lifecycle.spawnSession, spawn, { metadata });
  const value = { body: { $case: 'text' as const, value: SECRET } };
  const set = SetValueRequest.fromPartial({ session: `${PARENT}/sessions/hidden`, key: SECRET, value });
  await ask(working, working.setValue, set, { metadata });
  const create = { parent: PARENT, subscriptionId: 'hidden', subscription: { scope } };
  await ask(subscriptions, subscriptions.createSubscription, CreateSubscriptionRequest.fromPartial(create), {
    metadata,
  });
}

function nameFor({ path }: Method, field: string, id: string): string {
  const last = field.slice(field.lastIndexOf('.') + 1);
  if (last === 'parent' || path.includes('NamespaceService/')) return PARENT;
  if (/session|conversation/.test(last)) return `${PARENT}/sessions/${id}`;
  return `${PARENT}/${path.includes('SubscriptionService/') ? 'subscriptions' : 'memories'}/${id}`;
}

/** Further fields without which a method looks at nothing. */
const MORE: Readonly<Record<string, readonly string[]>> = {
  Recall: ['text'],
  GetAttributeHistory: ['path'],
  GetValue: ['key'],
  HasValue: ['key'],
  DeleteValue: ['key'],
  BatchGetValues: ['keys'],
  GetCheckpoint: ['checkpoint_id'],
};

const same = (bytes: Buffer): Buffer => bytes;

function call(method: Method, id: string): Promise<{ refused?: string; answer?: Buffer }> {
  const more = MORE[method.path.slice(method.path.indexOf('/') + 1)] ?? [];
  const values = [
    ...method.fields.map((field) => [field, nameFor(method, field, id)]),
    ...more.map((field) => [field, SECRET]),
  ];
  const request = requestWith(method.input, Object.fromEntries(values) as Record<string, string>);
  return new Promise((resolve) => {
    const deadline = { deadline: Date.now() + 20_000 };
    raw.makeUnaryRequest(
      `/${method.path}`,
      same,
      same,
      request,
      identities.headers('ada'),
      deadline,
      (error, answer) => {
        if (!error) return resolve(answer ? { answer } : {});
        const { code, reason, message } = refusalOf(error);
        resolve({ refused: `${code} ${reason} ${message.replaceAll(id, '?')}` });
      },
    );
  });
}

describe('a principal that is limited to a scope', () => {
  it('every method that takes grants for scopes › hidden and missing are answered alike, without content', async () => {
    for (const method of methods) {
      const [hidden, missing] = [await call(method, 'hidden'), await call(method, 'absent')];
      expect([method.path, hidden.refused]).toEqual([method.path, missing.refused]);
      expect([method.path, hidden.answer?.includes('the zanzibar') ?? false]).toEqual([method.path, false]);
      // Names that a request has may be repeated in its answer, whether they exist or not.
      for (const kind of ['sessions', 'memories', 'subscriptions']) {
        const isNamed = hidden.answer?.includes(`${kind}/hidden`) ?? false;
        expect([method.path, isNamed]).toEqual([method.path, missing.answer?.includes(`${kind}/absent`) ?? false]);
      }
    }
    expect(methods.length).toBeGreaterThan(40);
  });
});
