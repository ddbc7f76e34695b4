import { Client, credentials, type Metadata } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AppendMessagesRequest, MessageRole } from '../../../../gen/ts/mneme/v1/conversation_service.ts';
import {
  AssertFactRequest,
  RecordEpisodeRequest,
  RecordProcedureRequest,
  TaskOutcome,
} from '../../../../gen/ts/mneme/v1/knowledge_service.ts';
import { SpawnSessionRequest } from '../../../../gen/ts/mneme/v1/lifecycle_service.ts';
import { ForgetMemoriesRequest, StoreMemoryRequest } from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { CreateSubscriptionRequest } from '../../../../gen/ts/mneme/v1/subscription_service.ts';
import { CreateCheckpointRequest, SetValueRequest } from '../../../../gen/ts/mneme/v1/working_memory_service.ts';
import { METHODS } from '../../../../src/server/grpc/edge/permissions.ts';
import { ask, refusal } from '../support/ask.ts';
import { Identities } from '../support/identities.ts';
import { type Method, methodsOfApi, requestWith } from '../support/named-requests.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { wireCall } from '../support/wire-call.ts';

const SECRET = 'zanzibar';
const CONTENT = `the ${SECRET} word`;
const PARENT = 'namespaces/own';

let mneme: TestServer;
let identities: Identities;
/** Those that take grants for scopes. */
let methods: Method[];
let raw: Client;
beforeAll(async () => {
  identities = new Identities({
    operator: [{ namespaces: ['*'], verbs: ['read', 'write', 'delete', 'admin'] }],
    ada: [{ namespaces: ['own'], verbs: ['read', 'write', 'delete'], scopes: ['project=p'] }],
    bob: [{ namespaces: ['own'], verbs: ['read', 'delete'], scopes: ['project=r', 'project=s'] }],
  });
  mneme = await startTestServer(identities.flags);
  raw = new Client(mneme.address, credentials.createInsecure());
  methods = (await methodsOfApi()).filter((method) => ruleOf(method)?.split(' ')[0]?.endsWith('~'));
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
  const memory = { text: CONTENT, scope, type: 'note', step: 1n };
  const store = StoreMemoryRequest.fromPartial({ parent: PARENT, memory, memoryId: 'hidden' });
  await ask(memories, memories.storeMemory, store, { metadata });
  const spawn = SpawnSessionRequest.fromPartial({ parent: PARENT, sessionId: 'hidden', scope });
  await ask(lifecycle, lifecycle.spawnSession, spawn, { metadata });
  const value = { body: { $case: 'text' as const, value: CONTENT } };
  const set = SetValueRequest.fromPartial({ session: `${PARENT}/sessions/hidden`, key: SECRET, value });
  await ask(working, working.setValue, set, { metadata });
  const checkpoint = { session: `${PARENT}/sessions/hidden`, checkpointId: 'hidden' };
  const keep = CreateCheckpointRequest.fromPartial(checkpoint);
  await ask(working, working.createCheckpoint, keep, { metadata });
  const { conversations } = mneme;
  const blocks = [{ block: { $case: 'text' as const, value: CONTENT } }];
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
  const text = CONTENT;
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

/** Methods whose answers to these requests have the content, for a caller without limits. */
const REVEALING = new Set([
  ...['BatchGetMemories', 'BatchGetValues', 'BuildContext', 'ExportMemories', 'FindProcedures', 'GetAllValues'],
  ...['GetFact', 'GetMemory', 'GetMemorySequence', 'GetValue', 'ListFactHistory', 'ListFacts', 'ListMemories'],
  ...['ListMemoryRevisions', 'ListMessages', 'Recall', 'RecallStream', 'SubscribeRecall', 'WatchMemories'],
]);

/** Further fields without which a method looks at nothing; `?` is the id of what is hidden, or of what is missing. */
const MORE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Recall: { text: SECRET, 'example.text': SECRET },
  WatchMemories: { start_revision: '1' },
  RecallStream: { 'query.text': SECRET, 'query.example.text': SECRET },
  SubscribeRecall: { 'query.text': SECRET, 'query.example.text': SECRET },
  GetAttributeHistory: { path: SECRET },
  GetValue: { key: SECRET },
  HasValue: { key: SECRET },
  DeleteValue: { key: SECRET },
  BatchGetValues: { keys: SECRET },
  GetCheckpoint: { checkpoint_id: '?' },
  RestoreCheckpoint: { checkpoint_id: '?' },
  KeepCheckpoint: { checkpoint_id: '?' },
  DeleteCheckpoint: { checkpoint_id: '?' },
  DiffCheckpoints: { checkpoint_id: '?' },
  StoreMemory: { memory_id: '?', 'memory.text': SECRET, 'memory.scope.project': 'q' },
  BatchStoreMemories: { 'requests.memory_id': '?', 'requests.memory.text': SECRET },
  UpdateMemory: { 'update_mask.paths': 'text', 'memory.text': SECRET },
  SupersedeMemory: { 'memory.text': SECRET },
  ForgetMemories: { filter_text: 'type = "note"' },
  GetStatesAtSteps: { steps: '1' },
  ImportMemories: { 'memories.name': `${PARENT}/memories/?`, 'memories.text': SECRET },
  SetValue: { key: SECRET, 'value.text': SECRET },
  TransactValues: { 'operations.remove.key': SECRET },
  SetTaskState: { 'task.description': SECRET },
  UpdateTaskProgress: { detail: SECRET },
  AppendScratchpad: { 'notes.text': SECRET },
  IngestMemories: { 'start.stream_id': SECRET },
  CreateSubscription: { subscription_id: '?', 'subscription.scope.project': 'q' },
  ConsumeSubscription: { 'start.consumer': SECRET },
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

/** The fields of a request about what has the id. */
function valuesOf(method: Method, id: string): (readonly [field: string, value: string])[] {
  const more = MORE[nameOf(method)] ?? {};
  return [
    ...method.fields.map((field) => [field, nameFor(method, field, id)] as const),
    ...Object.entries(more).map(([field, value]) => [field, value.replace('?', id)] as const),
  ];
}

interface Learned {
  readonly refused: string | undefined;
  /** The answers, byte by byte. */
  readonly answer: string;
}

/** For so long the answers of a stream are read. */
const STREAM_MS = 3000;
/** The same where two streams differ: on a busy machine one of them may only have been slower. */
const SLOW_STREAM_MS = 30_000;

async function call(method: Method, id: string, who = 'ada', deadlineMs = STREAM_MS): Promise<Learned> {
  // Messages of a stream are alternatives.
  const all = valuesOf(method, id);
  const first = all.filter(([field]) => field.startsWith('start.'));
  const isOne = method.kind === 'bidi_streaming' && first.length > 0;
  const request = requestWith(method.input, Object.fromEntries(isOne ? first : all));
  const metadata = identities.headers(who);
  const isEnough = (answers: readonly Buffer[]) => who === 'operator' && has(answers, CONTENT);
  const reading = method.kind === 'unary' || who === 'operator' ? { isEnough } : { isEnough, deadlineMs };
  const { refusal, answers } = await wireCall(raw, method, request, metadata, reading);
  const { code, reason, message = '' } = refusal ?? {};
  const isOpen = method.kind !== 'unary' && code === 'DEADLINE_EXCEEDED';
  return {
    refused: refusal && !isOpen ? `${code} ${reason} ${nameless(message, id)}` : undefined,
    answer: Buffer.concat(answers).toString('latin1'),
  };
}

const has = (answers: readonly Buffer[], text: string): boolean => answers.some((answer) => answer.includes(text));

/** Reads between which nothing is written, so that their answers may be compared. */
function isRead(method: Method): boolean {
  return ruleOf(method)?.startsWith('read') === true;
}

function nameOf({ path }: Method): string {
  return path.slice(path.indexOf('/') + 1);
}

function ruleOf({ path }: Pick<Method, 'path'>): string | undefined {
  const [, service = '', method = ''] = /^mneme[.]v1[.](\w+)\/(\w+)$/.exec(path) ?? [];
  return METHODS[service]?.[method];
}

/** A text without the ids of a request, which have the same length in the other one. */
function nameless(text: string, id: string): string {
  const known = Object.values(derivedIds);
  const ids = [id, ...known.map((one) => (id === 'hidden' ? one : absentOf(one)))];
  return ids.reduce((left, one) => left.replaceAll(one, '?'), text);
}

const KINDS = ['sessions', 'memories', 'subscriptions', 'conversations'];

function isAlike(hidden: Learned, missing: Learned): boolean {
  const isNamed = (kind: string) => [
    hidden.answer.includes(`${kind}/hidden`),
    missing.answer.includes(`${kind}/absent`),
  ];
  return hidden.refused === missing.refused && KINDS.map(isNamed).every(([one, other]) => one === other);
}

function expectAlike(method: Method, hidden: Learned, missing: Learned): void {
  expect([method.path, hidden.refused]).toEqual([method.path, missing.refused]);
  // A request that is refused for its fields would look at nothing.
  expect([method.path, hidden.refused]).not.toEqual([method.path, expect.stringContaining('INVALID_ARGUMENT')]);
  expect([method.path, hidden.answer.includes(CONTENT)]).toEqual([method.path, false]);
  // Names that a request has may be repeated in its answer, whether they exist or not.
  for (const kind of KINDS) {
    const isNamed = hidden.answer.includes(`${kind}/hidden`);
    expect([method.path, isNamed]).toEqual([method.path, missing.answer.includes(`${kind}/absent`)]);
  }
  // Answers of streams have tokens of the request, and that of Reflect has the time.
  if (!isRead(method) || method.kind !== 'unary' || nameOf(method) === 'Reflect') return;
  expect([method.path, nameless(hidden.answer, 'hidden')]).toEqual([method.path, nameless(missing.answer, 'absent')]);
}

describe('a principal that is limited to a scope', () => {
  it('every method and stream that takes grants for scopes › hidden and missing are alike, without content', async () => {
    for (const method of methods) {
      const read = (ms: number) => Promise.all([call(method, 'hidden', 'ada', ms), call(method, 'absent', 'ada', ms)]);
      const [hidden, missing] = await read(STREAM_MS);
      if (method.kind === 'unary' || isAlike(hidden, missing)) expectAlike(method, hidden, missing);
      else expectAlike(method, ...(await read(SLOW_STREAM_MS)));
    }
    expect(methods.length).toBeGreaterThan(70);
  });

  it('without limits › the same requests answer with the content', async () => {
    for (const method of methods.filter((one) => REVEALING.has(nameOf(one)))) {
      const { answer } = await call(method, 'hidden', 'operator');
      expect([method.path, answer.includes(CONTENT)]).toEqual([method.path, true]);
    }
  });

  it('the request id of another caller with the same request › REQUEST_ID_REUSED', async () => {
    const { memories } = mneme;
    const forget = (who: string) => {
      const request = { parent: PARENT, filterText: 'type = "none"', requestId: 'forget' };
      const metadata = identities.headers(who);
      return ask(memories, memories.forgetMemories, ForgetMemoriesRequest.fromPartial(request), { metadata });
    };
    await forget('operator');
    expect(await refusal(forget('ada'))).toMatchObject({ reason: 'REQUEST_ID_REUSED' });
  });

  it('its own request id under another scope › REQUEST_ID_REUSED, under the same one the same answer', async () => {
    const { memories } = mneme;
    const memory = { text: CONTENT, type: 'twice', scope: { project: 'r' } };
    const store = StoreMemoryRequest.fromPartial({ parent: PARENT, memory });
    await ask(memories, memories.storeMemory, store, { metadata: identities.headers('operator') });
    const request = { parent: PARENT, filterText: 'type = "twice"', requestId: 'twice' };
    const forget = (scope: string) => {
      const metadata = identities.headers('bob', scope);
      return ask(memories, memories.forgetMemories, ForgetMemoriesRequest.fromPartial(request), { metadata });
    };
    const first = await forget('project=r');
    expect(first.names).toHaveLength(1);
    expect(await forget('project=r')).toEqual(first);
    expect(await refusal(forget('project=s'))).toMatchObject({ reason: 'REQUEST_ID_REUSED' });
  });
});
