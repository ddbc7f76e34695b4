import { create, fromBinary, fromJson, type JsonValue, toBinary, toJsonString } from '@bufbuild/protobuf';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { VERBS } from '../../../../src/memory/principal.ts';
import { loadDescriptors } from '../../../../src/server/grpc/edge/load-descriptors.ts';
import { METHODS, verbOf } from '../../../../src/server/grpc/edge/permissions.ts';
import { Identities } from '../support/identities.ts';
import { TestIngest } from '../support/ingest.ts';
import { type Method, methodsOfApi } from '../support/named-requests.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { wireCall } from '../support/wire-call.ts';

/** In every content that is stored, in no name and in no request of the probe. */
const SECRET = 'zanzibar';

type Json = { [field: string]: JsonValue };
/** Names of the objects that a probe finds. */
interface Names {
  readonly parent: string;
  readonly conversation: string;
  readonly session: string;
  readonly paused: string;
  readonly fact: string;
  readonly formerFact: string;
  readonly procedure: string;
}

let mneme: TestServer;
let identities: Identities;
let raw: Client;
let methods: ReadonlyMap<string, Method>;
let outputs: ReadonlyMap<string, Parameters<typeof fromBinary>[0]>;
let namespaceCount = 0;

beforeAll(async () => {
  const only = Object.fromEntries(VERBS.map((verb) => [verb, [{ namespaces: ['*'], verbs: [verb] }]]));
  identities = new Identities({ ...only, operator: [{ namespaces: ['*'], verbs: [...VERBS] }], nobody: [] });
  mneme = await startTestServer({ ...identities.flags, extractor: 'client' });
  raw = new Client(mneme.address, credentials.createInsecure());
  methods = new Map((await methodsOfApi()).map((method) => [method.path.replace('mneme.v1.', ''), method]));
  const index = await loadDescriptors();
  outputs = new Map(
    [...methods].map(([name, { path }]) => {
      const [service = '', method] = path.split('/');
      const found = index.serviceOf(service)?.methods.find((each) => each.name === method);
      if (!found) throw new Error(`${path} is not in the descriptors`);
      return [name, found.output];
    }),
  );
});
afterAll(async () => {
  raw.close();
  await mneme.stop();
  identities.remove();
});

async function call(name: string, request: Json, who: string) {
  const method = methods.get(name);
  const output = outputs.get(name);
  if (!method || !output) throw new Error(`${name} is no method`);
  const bytes = Buffer.from(toBinary(method.input, fromJson(method.input, request)));
  const isStream = method.kind !== 'unary';
  const options = isStream ? { deadlineMs: 1000 } : {};
  const { refusal, answers } = await wireCall(raw, method, bytes, identities.headers(who), options);
  const [first] = answers;
  const answer = toJsonString(output, first ? fromBinary(output, first) : create(output));
  return { refusal, answer, fields: JSON.parse(answer) as Record<string, Json> };
}

async function done(name: string, request: Json): Promise<Record<string, Json>> {
  const { refusal, fields } = await call(name, request, 'operator');
  if (refusal) throw new Error(`${name}: ${refusal.message}`);
  return fields;
}

/** The name of an object in an answer. */
function nameIn(answer: Record<string, Json>, field: string): string {
  const name = answer[field]?.name;
  if (typeof name !== 'string') throw new Error(`the answer has no ${field}`);
  return name;
}

const text = { text: `${SECRET} text` };

/** A namespace with one object of each kind. */
async function filled(): Promise<Names> {
  const parent = `namespaces/probe-${namespaceCount++}`;
  const session = `${parent}/sessions/s`;
  const paused = `${parent}/sessions/p`;
  const conversation = `${parent}/conversations/c`;
  const memory = { ...text, type: SECRET, tags: [SECRET], content: text, source: { uri: SECRET } };
  await done('MemoryService/StoreMemory', { parent, memoryId: 'm', memory });
  const messages = [{ role: 'MESSAGE_ROLE_USER', blocks: [text] }];
  await done('ConversationService/AppendMessages', { conversation, messages });
  const fact = (value: string) =>
    done('KnowledgeService/AssertFact', {
      parent,
      fact: { subject: 'user', attribute: 'employer', value },
      replaces: true,
    });
  const former = await fact(`former ${SECRET}`);
  const present = await fact(`present ${SECRET}`);
  const procedure = { title: `${SECRET} title`, situation: SECRET, steps: [SECRET] };
  const recorded = await done('KnowledgeService/RecordProcedure', { parent, procedure });
  for (const each of [session, paused]) {
    const spawned = { parent, sessionId: each.slice(-1), metadata: { note: SECRET } };
    await done('LifecycleService/SpawnSession', spawned);
    await done('WorkingMemoryService/SetValue', { session: each, key: 'k', value: text });
    const task = { taskId: 't', description: SECRET, detail: SECRET, totalSteps: 3 };
    await done('WorkingMemoryService/SetTaskState', { session: each, task });
    await done('WorkingMemoryService/AppendScratchpad', { session: each, notes: [text] });
    await done('WorkingMemoryService/CreateCheckpoint', { session: each, checkpointId: 'c', description: SECRET });
  }
  await done('LifecycleService/PauseSession', { session: paused, checkpointId: 'end', description: SECRET });
  await done('AgentService/CreateAgentSnapshot', {
    parent,
    scope: { agent: 'a' },
    snapshotId: 'a',
    description: SECRET,
  });
  const subscription = { filterText: `tags = "${SECRET}"` };
  await done('SubscriptionService/CreateSubscription', { parent, subscriptionId: 'f', subscription });
  return {
    parent,
    conversation,
    session,
    paused,
    fact: nameIn(present, 'fact'),
    formerFact: nameIn(former, 'fact'),
    procedure: nameIn(recorded, 'procedure'),
  };
}

const memory = { text: 'of the probe' };
const value = { text: 'of the probe' };

/** A request that is served, for each method that needs another verb than `read`. */
const REQUESTS: Readonly<Record<string, (names: Names) => Json>> = {
  'MemoryService/StoreMemory': ({ parent }) => ({ parent, memory }),
  'MemoryService/BatchStoreMemories': ({ parent }) => ({ parent, requests: [{ memory }] }),
  'MemoryService/UpdateMemory': ({ parent }) => ({
    memory: { name: `${parent}/memories/m`, importance: 0.5 },
    updateMask: 'importance',
  }),
  'MemoryService/SetMemoryImportance': ({ parent }) => ({ name: `${parent}/memories/m`, importance: 0.25 }),
  'MemoryService/DeleteMemory': ({ parent }) => ({ name: `${parent}/memories/m` }),
  'MemoryService/SupersedeMemory': ({ parent }) => ({ name: `${parent}/memories/m`, memory }),
  'MemoryService/ForgetMemories': ({ parent }) => ({ parent, all: true }),
  'MemoryService/ImportMemories': ({ parent }) => ({ parent, memories: [memory] }),
  'MemoryService/DemoteMemories': ({ parent }) => ({ parent, names: [`${parent}/memories/m`] }),
  'MemoryService/PromoteMemories': ({ parent }) => ({ parent, names: [`${parent}/memories/m`] }),
  'IngestService/IngestMemories': ({ parent }) => ({ start: { parent, streamId: 'i' } }),
  'ConversationService/AppendMessages': ({ conversation }) => ({
    conversation,
    messages: [{ role: 'MESSAGE_ROLE_USER', blocks: [value] }],
  }),
  'ConversationService/PopMessage': ({ conversation }) => ({ conversation }),
  'ConversationService/ReplaceSuffix': ({ conversation }) => ({
    conversation,
    firstSequence: '0',
    expectedCount: 1,
    requestId: 'r',
  }),
  'ConversationService/ClearMessages': ({ conversation }) => ({ conversation }),
  'ConversationService/Flush': ({ parent }) => ({ parent }),
  'ConversationService/RetryExtraction': ({ parent }) => ({ parent }),
  'ConversationService/ServeExtractor': ({ parent }) => ({ start: { parent, name: 'x' } }),
  'KnowledgeService/AssertFact': ({ parent }) => ({
    parent,
    fact: { subject: 'user', attribute: 'employer', value: 'of the probe' },
    replaces: true,
  }),
  'KnowledgeService/UndoSupersession': ({ formerFact }) => ({ name: formerFact }),
  'KnowledgeService/ForgetFacts': ({ parent, fact }) => ({ parent, names: [fact] }),
  'KnowledgeService/RecordEpisode': ({ parent }) => ({ parent, task: 'of the probe', outcome: 'TASK_OUTCOME_SUCCESS' }),
  'KnowledgeService/RecordProcedure': ({ parent }) => ({
    parent,
    procedure: { title: 'of the probe', situation: 'probe', steps: ['probe'] },
  }),
  'KnowledgeService/RecordOutcome': ({ procedure }) => ({ name: procedure, outcome: 'TASK_OUTCOME_SUCCESS' }),
  'ConsolidationService/Consolidate': ({ parent }) => ({ parent }),
  'ConsolidationService/UndoConsolidation': ({ parent }) => ({ report: `${parent}/consolidations/none` }),
  'WorkingMemoryService/SetValue': ({ session }) => ({ session, key: 'k', value }),
  'WorkingMemoryService/DeleteValue': ({ session }) => ({ session, key: 'k' }),
  'WorkingMemoryService/ClearWorkingMemory': ({ session }) => ({ session }),
  'WorkingMemoryService/TransactValues': ({ session }) => ({
    session,
    operations: [{ touch: { key: 'k', expiry: { ttl: '60s' } } }],
  }),
  'WorkingMemoryService/SetTaskState': ({ session }) => ({ session, task: { taskId: 't', totalSteps: 2 } }),
  'WorkingMemoryService/UpdateTaskProgress': ({ session }) => ({ session, currentStep: 1 }),
  'WorkingMemoryService/AppendScratchpad': ({ session }) => ({ session, notes: [value] }),
  'WorkingMemoryService/ClearScratchpad': ({ session }) => ({ session }),
  'WorkingMemoryService/CreateCheckpoint': ({ session }) => ({ session, checkpointId: 'd' }),
  'WorkingMemoryService/RestoreCheckpoint': ({ session }) => ({ session, checkpointId: 'c' }),
  'WorkingMemoryService/KeepCheckpoint': ({ session }) => ({ session, checkpointId: 'c' }),
  'WorkingMemoryService/DeleteCheckpoint': ({ session }) => ({ session, checkpointId: 'c' }),
  'WorkingMemoryService/ForkCheckpoint': ({ parent, session }) => ({
    session,
    checkpointId: 'c',
    targetSession: `${parent}/sessions/new`,
  }),
  'LifecycleService/SpawnSession': ({ parent }) => ({ parent, sessionId: 'new' }),
  'LifecycleService/PauseSession': ({ session }) => ({ session }),
  'LifecycleService/ResumeSession': ({ paused }) => ({ session: paused }),
  'LifecycleService/TerminateSession': ({ session }) => ({ session, outcome: 'SESSION_OUTCOME_SUCCESS' }),
  'LifecycleService/DeleteSession': ({ session }) => ({ session, force: true }),
  'LifecycleService/AcknowledgeLifecycleEvents': ({ parent }) => ({ parent, consumer: 'c', resumeToken: 'none' }),
  'LifecycleService/ServeHook': ({ parent }) => ({
    registration: { parent, hook: 'h', phases: ['LIFECYCLE_PHASE_BEFORE'] },
  }),
  'AgentService/CreateAgentSnapshot': ({ parent }) => ({ parent, scope: { agent: 'a' }, snapshotId: 'b' }),
  'AgentService/DeleteAgentSnapshot': ({ parent }) => ({ parent, snapshotId: 'a' }),
  'AgentService/RestoreAgentSnapshot': ({ parent }) => ({ parent, snapshotId: 'a' }),
  'AgentService/ForkAgentSnapshot': ({ parent }) => ({ parent, snapshotId: 'a', toScope: { agent: 'b' } }),
  'SubscriptionService/CreateSubscription': ({ parent }) => ({ parent, subscriptionId: 'g', subscription: {} }),
  'SubscriptionService/RotateWebhookSecret': ({ parent }) => ({ name: `${parent}/subscriptions/f` }),
  'SubscriptionService/ResumeWebhook': ({ parent }) => ({ name: `${parent}/subscriptions/f` }),
  'SubscriptionService/DeleteSubscription': ({ parent }) => ({ name: `${parent}/subscriptions/f` }),
  'NamespaceService/CreateNamespace': ({ parent }) => ({ namespace: { name: `${parent}-new` } }),
  'NamespaceService/UpdateNamespace': ({ parent }) => ({
    namespace: { name: parent, memoryLimit: 5000 },
    updateMask: 'memoryLimit',
  }),
  'NamespaceService/DeleteNamespace': ({ parent }) => ({ name: parent }),
  'ScopeService/SetScopePolicy': ({ parent }) => ({ parent, policy: { scope: { agent: 'a' }, readOnly: true } }),
  'AdminService/GetServerStatistics': () => ({}),
  'AdminService/ReembedMemories': ({ parent }) => ({ parent }),
  'AdminService/GetReembedProgress': ({ parent }) => ({ parent }),
  'AdminService/MaintainTiers': ({ parent }) => ({ parent }),
  'AdminService/ClearTier': ({ parent }) => ({ parent, tier: 'TIER_LONG_TERM', all: true }),
  'AdminService/ClearRecallCache': ({ parent }) => ({ parent }),
  'AdminService/GetConfig': () => ({}),
  'AdminService/UpdateConfig': () => ({ settings: { 'cache.entries': '100' } }),
};

/** Methods that need `read` besides their own verb. */
const READING_TOO = new Set(['PopMessage', 'ServeExtractor', 'ServeHook', 'RotateWebhookSecret', 'ResumeWebhook']);
/** Requests of the probe that are refused: the object that they name cannot be prepared in short. */
const UNPREPARED = new Set([
  'ConsolidationService/UndoConsolidation',
  'LifecycleService/AcknowledgeLifecycleEvents',
  'NamespaceService/DeleteNamespace',
  'AdminService/ReembedMemories',
  'AdminService/GetReembedProgress',
]);

/** A request that names nothing is refused for that. */
const REFUSALS = /^(?:PERMISSION_MISSING|FIELD_INVALID)$/;

const own = (name: string) => verbOf(`mneme.v1.${name}`) ?? 'read';
const nameOf = (name: string) => name.slice(name.indexOf('/') + 1);

describe('P1b every served method has a rule', () => {
  it.each(['no key', 'no grant'])(
    '%s › reflection and health answer, all other methods refuse or show nothing',
    async (who) => {
      const headers = who === 'no key' ? new Metadata() : identities.headers('nobody');
      const index = await loadDescriptors();
      expect(index.services).toEqual(
        expect.arrayContaining(['grpc.reflection.v1.ServerReflection', 'grpc.reflection.v1alpha.ServerReflection']),
      );
      for (const service of index.services) {
        for (const method of index.serviceOf(service)?.methods ?? []) {
          const path = `${service}/${method.name}`;
          const isReflection = service.includes('.reflection.');
          const request: Record<string, string> = isReflection ? { listServices: '' } : {};
          const bytes = Buffer.from(toBinary(method.input, fromJson(method.input, request)));
          const { refusal, answers } = await wireCall(raw, { path, kind: method.methodKind }, bytes, headers);
          const rule = METHODS[service.replace('mneme.v1.', '')]?.[method.name];
          if (rule === undefined) expect([path, refusal, answers.length]).toEqual([path, undefined, 1]);
          else if (who === 'no key') expect([path, refusal?.code]).toEqual([path, 'UNAUTHENTICATED']);
          else if (rule !== '') expect([path, refusal?.reason]).toEqual([path, expect.stringMatching(REFUSALS)]);
        }
      }
    },
  );
});

describe('X4 no answer has contents that the verbs of the caller do not cover', () => {
  it('every method that needs another verb than read › is probed', () => {
    const changing = Object.entries(METHODS).flatMap(([service, of]) =>
      Object.keys(of)
        .map((method) => `${service}/${method}`)
        .filter((name) => own(name) !== 'read'),
    );
    expect(Object.keys(REQUESTS).toSorted()).toEqual(changing.toSorted());
  });

  it.each(Object.entries(REQUESTS))('%s › its verb alone is served without a stored content', async (name, request) => {
    const names = await filled();
    for (const verb of VERBS.filter((one) => one !== own(name))) {
      const { refusal } = await call(name, request(names), verb);
      expect([verb, refusal?.reason]).toEqual([verb, 'PERMISSION_MISSING']);
    }
    const { refusal, answer } = await call(name, request(names), own(name));
    const shown = JSON.stringify([refusal ?? {}, answer]);
    expect(shown).not.toContain(SECRET);
    if (READING_TOO.has(nameOf(name))) expect(refusal?.reason).toBe('PERMISSION_MISSING');
    else if (!UNPREPARED.has(name)) expect([refusal?.message, refusal?.descriptions]).toEqual([undefined, undefined]);
  });

  it.each<[string, (names: Names) => Json, string]>([
    ['MemoryService/ForgetMemories', ({ parent }) => ({ parent, filterText: `text:"${SECRET}"` }), 'delete'],
    ['MemoryService/ForgetMemories', ({ parent }) => ({ parent, all: true, dryRun: true }), 'delete'],
    ['KnowledgeService/ForgetFacts', ({ parent }) => ({ parent, subject: 'user', value: SECRET }), 'delete'],
    ['KnowledgeService/ForgetFacts', ({ parent, fact }) => ({ parent, names: [fact], dryRun: true }), 'delete'],
    ['ConsolidationService/Consolidate', ({ parent }) => ({ parent, dryRun: true }), 'delete'],
    [
      'SubscriptionService/CreateSubscription',
      ({ parent }) => ({ parent, subscriptionId: 'w', subscription: { webhook: { url: 'https://example.com/' } } }),
      'write',
    ],
  ])('%s with a condition on contents, or as a trial › needs read too', async (name, request, verb) => {
    const names = await filled();
    expect((await call(name, request(names), verb)).refusal?.metadata).toMatchObject({ verb: 'read' });
    expect((await call(name, request(names), 'operator')).refusal?.reason).not.toBe('PERMISSION_MISSING');
  });

  it('ingest of an id that exists › the receipt has no checksum of the stored text without read', async () => {
    const { parent } = await filled();
    const checksumFor = async (who: string) => {
      const stream = new TestIngest(mneme.ingests, { parent, streamId: `of-${who}` }, identities.headers(who));
      stream.batch(1, [{ ...memory, id: 'm' }]);
      stream.stream.end();
      expect(await stream.ended).toBeUndefined();
      const [result] = stream.results;
      expect([stream.results.length, result?.existing]).toEqual([1, true]);
      return result?.outcome?.$case === 'memory' ? result.outcome.value.checksum : undefined;
    };
    expect(await checksumFor('write')).toBe('');
    expect(await checksumFor('operator')).toMatch(/^[0-9a-f]{64}$/);
  });

  it('asserting what is known, and what is not › one kind of answer without read', async () => {
    const { parent } = await filled();
    const assertion = (value: string) => ({ parent, fact: { subject: 'user', attribute: 'employer', value } });
    const known = await call('KnowledgeService/AssertFact', assertion(`present ${SECRET}`), 'write');
    const unknown = await call('KnowledgeService/AssertFact', assertion('elsewhere'), 'write');
    expect([Object.keys(known.fields), Object.keys(unknown.fields)]).toEqual([['revision'], ['revision']]);
    const read = await call('KnowledgeService/AssertFact', assertion('elsewhere'), 'operator');
    expect(read.fields).toMatchObject({ fact: { value: 'elsewhere' } });
  });

  it('a request repeated with the id of another caller › its answer has what this caller may read', async () => {
    const { session } = await filled();
    const request = { session, currentStep: 2, requestId: 'twice' };
    const first = await call('WorkingMemoryService/UpdateTaskProgress', request, 'operator');
    const again = await call('WorkingMemoryService/UpdateTaskProgress', request, 'write');
    expect(first.answer).toContain(SECRET);
    expect(again.fields).toEqual({
      task: { version: expect.any(String), updateTime: expect.any(String) },
      revision: first.fields.revision,
    });
  });
});
