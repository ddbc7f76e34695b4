import { Client, credentials, type Metadata } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AppendMessagesRequest, MessageRole } from '../../../gen/ts/mneme/v1/conversation_service.ts';
import {
  AssertFactRequest,
  RecordEpisodeRequest,
  RecordProcedureRequest,
  TaskOutcome,
} from '../../../gen/ts/mneme/v1/knowledge_service.ts';
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
  const { conversations } = mneme;
  const blocks = [{ block: { $case: 'text' as const, value: `the ${SECRET} word` } }];
  const said = { role: MessageRole.MESSAGE_ROLE_USER, blocks };
  const append = { conversation: `${PARENT}/conversations/hidden`, scope, messages: [said, said] };
  await ask(conversations, conversations.appendMessages, AppendMessagesRequest.fromPartial(append), { metadata });
  await fillKnowledge(metadata, scope);
  const create = { parent: PARENT, subscriptionId: 'hidden', subscription: { scope } };
  await ask(subscriptions, subscriptions.createSubscription, CreateSubscriptionRequest.fromPartial(create), {
    metadata,
  });
}

/** Ids that the server derives: of what is hidden, and others of the same length. */
const derivedIds = { fact: '', procedure: '' };
const absentOf = (id: string): string => id.replaceAll(/[0-9a-f]/g, '0');

async function fillKnowledge(metadata: Metadata, scope: object): Promise<void> {
  const { knowledge } = mneme;
  const text = `the ${SECRET} word`;
  const fact = { scope, subject: 'hidden', attribute: 'likes', value: text };
  const assert = AssertFactRequest.fromPartial({ parent: PARENT, fact });
  const procedure = { scope, title: 'hidden', situation: text, steps: [text] };
  const record = RecordProcedureRequest.fromPartial({ parent: PARENT, procedure });
  const asserted = await ask(knowledge, knowledge.assertFact, assert, { metadata });
  const recorded = await ask(knowledge, knowledge.recordProcedure, record, { metadata });
  const episode = { parent: PARENT, scope, task: text, outcome: TaskOutcome.TASK_OUTCOME_SUCCESS };
  await ask(knowledge, knowledge.recordEpisode, RecordEpisodeRequest.fromPartial(episode), { metadata });
  derivedIds.fact = asserted.fact?.name.split('/').at(-1) ?? '';
  derivedIds.procedure = recorded.procedure?.name.split('/').at(-1) ?? '';
}

function nameFor({ path }: Method, field: string, id: string): string {
  const last = field.slice(field.lastIndexOf('.') + 1);
  if (last === 'parent' || path.includes('NamespaceService/')) return PARENT;
  if (last === 'conversation') return `${PARENT}/conversations/${id}`;
  if (/session/.test(last)) return `${PARENT}/sessions/${id}`;
  if (path.includes('KnowledgeService/')) {
    const known = derivedIds[path.endsWith('RecordOutcome') ? 'procedure' : 'fact'];
    return `${PARENT}/memories/${id === 'hidden' ? known : absentOf(known)}`;
  }
  return `${PARENT}/${path.includes('SubscriptionService/') ? 'subscriptions' : 'memories'}/${id}`;
}

/** Further fields without which a method looks at nothing; `?` is the id of what is hidden, or of what is missing. */
const MORE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Recall: { text: SECRET, 'scope.session': '?' },
  GetAttributeHistory: { path: SECRET },
  GetValue: { key: SECRET },
  HasValue: { key: SECRET },
  DeleteValue: { key: SECRET },
  BatchGetValues: { keys: SECRET },
  GetCheckpoint: { checkpoint_id: SECRET },
  BuildContext: { query: SECRET, session: '?', 'scope.session': '?' },
  AppendMessages: { 'messages.role': '2', 'messages.blocks.text': SECRET, 'scope.project': 'q' },
  ReplaceSuffix: { expected_count: '2', request_id: 'r' },
  AssertFact: { 'fact.subject': '?', 'fact.attribute': 'likes', 'fact.value': SECRET, 'fact.scope.project': 'q' },
  ListFacts: { subject: '?', include_superseded: 'true' },
  ListFactHistory: { subject: '?', attribute: 'likes', 'scope.project': 'q', 'scope.agent': 'eve' },
  RecordEpisode: { task: SECRET, outcome: '1', 'scope.project': 'q' },
  RecordProcedure: { 'procedure.title': '?', 'procedure.steps': SECRET, 'procedure.scope.project': 'q' },
  FindProcedures: { situation: SECRET },
  RecordOutcome: { outcome: '1' },
};

const same = (bytes: Buffer): Buffer => bytes;

function call(method: Method, id: string): Promise<{ refused?: string; answer?: Buffer }> {
  const more = MORE[method.path.slice(method.path.indexOf('/') + 1)] ?? {};
  const values = [
    ...method.fields.map((field) => [field, nameFor(method, field, id)] as const),
    ...Object.entries(more).map(([field, value]) => [field, value.replace('?', id)] as const),
  ];
  const request = requestWith(method.input, Object.fromEntries(values));
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
        resolve({ refused: `${code} ${reason} ${nameless(message, id)}` });
      },
    );
  });
}

/** Between two reads nothing is written, so that their answers may be compared; that of Reflect has the time. */
function isRead({ path }: Method): boolean {
  const [, service = '', method = ''] = /^mneme[.]v1[.](\w+)\/(\w+)$/.exec(path) ?? [];
  return method !== 'Reflect' && METHODS[service]?.[method]?.startsWith('read') === true;
}

/** A text without the ids of a request, which have the same length in the other one. */
function nameless(text: string, id: string): string {
  const known = Object.values(derivedIds);
  const ids = [id, ...known.map((one) => (id === 'hidden' ? one : absentOf(one)))];
  return ids.reduce((left, one) => left.replaceAll(one, '?'), text);
}

describe('a principal that is limited to a scope', () => {
  it('every method that takes grants for scopes › hidden and missing are answered alike, without content', async () => {
    for (const method of methods) {
      const [hidden, missing] = [await call(method, 'hidden'), await call(method, 'absent')];
      expect([method.path, hidden.refused]).toEqual([method.path, missing.refused]);
      expect([method.path, hidden.answer?.includes('the zanzibar') ?? false]).toEqual([method.path, false]);
      // Names that a request has may be repeated in its answer, whether they exist or not.
      for (const kind of ['sessions', 'memories', 'subscriptions', 'conversations']) {
        const isNamed = hidden.answer?.includes(`${kind}/hidden`) ?? false;
        expect([method.path, isNamed]).toEqual([method.path, missing.answer?.includes(`${kind}/absent`) ?? false]);
      }
      if (isRead(method))
        expect([method.path, nameless(hidden.answer?.toString('latin1') ?? '', 'hidden')]).toEqual([
          method.path,
          nameless(missing.answer?.toString('latin1') ?? '', 'absent'),
        ]);
    }
    expect(methods.length).toBeGreaterThan(40);
  });
});
