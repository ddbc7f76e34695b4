import { writeFileSync } from 'node:fs';
import { Metadata } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  GetSessionRequest,
  SpawnSessionRequest,
  TerminateSessionRequest,
} from '../../../../gen/ts/mneme/v1/lifecycle_service.ts';
import {
  CountMemoriesRequest,
  GetMemoryRequest,
  ListMemoriesRequest,
  StoreMemoryRequest,
} from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { RecallRequest, WatchMemoriesRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { SessionState } from '../../../../gen/ts/mneme/v1/session.ts';
import { SetValueRequest } from '../../../../gen/ts/mneme/v1/working_memory_service.ts';
import { ask, refusal, refusalOf } from '../support/ask.ts';
import { FollowedStream } from '../support/followed-stream.ts';
import { bearing, Identities } from '../support/identities.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let mneme: TestServer;
let identities: Identities;
const ALL_VERBS = ['read', 'write', 'delete', 'admin'];
beforeEach(async () => {
  identities = new Identities({
    operator: [{ namespaces: ['*'], verbs: ALL_VERBS }],
    reader: [{ namespaces: ['own'], verbs: ['read'] }],
    ada: [{ namespaces: ['own'], verbs: ['read', 'write', 'delete'], scopes: ['project=p'] }],
    worker: [{ namespaces: ['own'], verbs: ['read', 'write'], scopes: ['session=s'] }],
  });
  mneme = await startTestServer({ ...identities.flags, logLevel: 'debug' });
  await store('operator', 'inside', { project: 'p', agent: 'ada' });
  await store('operator', 'outside', { project: 'q' });
});
afterEach(async () => {
  await mneme.stop();
  identities.remove();
});

function store(who: string, memoryId: string, scope: object, header?: string) {
  const { memories } = mneme;
  const request = { parent: 'namespaces/own', memory: { text: `a word ${memoryId}`, scope }, memoryId };
  return ask(memories, memories.storeMemory, StoreMemoryRequest.fromPartial(request), {
    metadata: identities.headers(who, header),
  });
}

function get(metadata = identities.headers('reader'), id = 'inside') {
  const { memories } = mneme;
  const request = GetMemoryRequest.fromPartial({ name: `namespaces/own/memories/${id}` });
  return ask(memories, memories.getMemory, request, { metadata });
}

function watch(who: string) {
  const request = WatchMemoriesRequest.fromPartial({ parent: 'namespaces/own' });
  return new FollowedStream(mneme.recalls.watchMemories(request, identities.headers(who)));
}

/** Calls until the answer is another one: files are read at an interval. */
async function until<T>(make: () => Promise<T>, isDone: (answer: T) => boolean): Promise<T> {
  for (let give = Date.now() + 30_000; Date.now() < give; ) {
    const answer = await make();
    if (isDone(answer)) return answer;
  }
  throw new Error('the answer stays the same for 30 s');
}

const reasonOf = (call: Promise<unknown>): Promise<string | undefined> =>
  call.then(
    () => 'OK',
    (error) => refusalOf(error).reason,
  );

describe('API keys', () => {
  it('a key that is revoked › its calls are refused and its streams end within a second; those of others go on', async () => {
    const [revoked, kept] = [watch('reader'), watch('operator')];
    for (const stream of [revoked, kept]) await stream.until(({ event }) => event?.$case === 'created');
    const startedAtMs = performance.now();
    identities.revoke('reader');

    const end = await revoked.outcome();
    expect(performance.now() - startedAtMs).toBeLessThan(5000);
    expect(end === true ? 'OK' : refusalOf(end)).toMatchObject({
      code: 'UNAUTHENTICATED',
      reason: 'CREDENTIALS_INVALID',
    });
    expect(await refusal(get())).toMatchObject({ code: 'UNAUTHENTICATED', reason: 'CREDENTIALS_INVALID' });
    expect(await reasonOf(get(identities.headers('operator')))).toBe('OK');
    kept.cancel();
  });

  it('an expired key, a wrong secret, an unknown id, no key › UNAUTHENTICATED', async () => {
    const expired = identities.addKey('late', { expireTime: '2026-01-01T00:00:00.000Z' });
    const key = identities.keyOf('reader');
    const forged = `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`;
    const texts = [expired, forged, `mnk_0000000000_${'A'.repeat(43)}`, 'mnk_', key.slice(0, 14)];
    for (const text of texts) {
      expect(await refusal(get(bearing(text)))).toMatchObject({ code: 'UNAUTHENTICATED' });
    }
    expect(await refusal(get(new Metadata()))).toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it('a new key › is admitted within a second; the log names keys without their secrets', async () => {
    identities.grant({
      operator: [{ namespaces: ['*'], verbs: ALL_VERBS }],
      late: [{ namespaces: ['own'], verbs: ['read'] }],
    });
    const text = identities.addKey('late');
    await until(
      () => reasonOf(get(bearing(text))),
      (reason) => reason === 'OK',
    );
    const log = JSON.stringify(mneme.log);
    expect(log).toContain(text.slice(0, 14));
    expect(log).toContain('"identity":"late"');
    expect(log).not.toContain(text.slice(15));
  });
});

describe('the file of API keys', () => {
  it('while it is empty, as one that is being written › the former keys stay, and the log says why', async () => {
    writeFileSync(identities.apiKeysFile, '');
    await until(
      () => reasonOf(get()).then(() => JSON.stringify(mneme.log)),
      (log) => log.includes('the file of API keys cannot be read: the API keys stay'),
    );
    expect(await reasonOf(get())).toBe('OK');
  });

  it('with a long interval of tokens › is read every half second all the same, also the first time', async () => {
    const slow = await startTestServer({ ...identities.flags, authTokensIntervalMs: '3600000' });
    try {
      const metadata = bearing(identities.addKey('operator'));
      const { memories } = slow;
      const request = GetMemoryRequest.fromPartial({ name: 'namespaces/own/memories/inside' });
      await until(
        () => reasonOf(ask(memories, memories.getMemory, request, { metadata })),
        (reason) => reason !== 'CREDENTIALS_INVALID',
      );
    } finally {
      await slow.stop();
    }
  });
});

describe('a policy file', () => {
  it('a verb that is not granted › PERMISSION_DENIED with identity, verb and namespace', async () => {
    expect((await get()).memory?.text).toBe('a word inside');
    expect(await refusal(store('reader', 'new', {}))).toMatchObject({
      code: 'PERMISSION_DENIED',
      reason: 'PERMISSION_MISSING',
      message: 'no grant allows reader to write in namespaces/own',
      metadata: { identity: 'reader', verb: 'write', name: 'namespaces/own' },
    });
  });

  it('a grant that is taken away › streams end so that they are opened again, and then are refused', async () => {
    const stream = watch('reader');
    await stream.until(({ event }) => event?.$case === 'created');
    identities.grant({ reader: [{ namespaces: ['other'], verbs: ['read'] }] });
    const end = await stream.outcome();
    expect(end === true ? 'OK' : refusalOf(end)).toMatchObject({ code: 'UNAVAILABLE', reason: 'DRAINING' });
    expect(await refusal(get())).toMatchObject({ reason: 'PERMISSION_MISSING' });
  });

  it('a file that is edited to something unusable › the former grants stay, and the log says why', async () => {
    writeFileSync(identities.policyFile, '{"identities": {"reader": [{"namespaces": ["own"], "verbs": ["fly"]}]}}');
    await until(
      () => reasonOf(get()).then(() => JSON.stringify(mneme.log)),
      (log) => log.includes('the file of grants and limits cannot be read: the grants and limits stay'),
    );
    expect(await reasonOf(get())).toBe('OK');
  });
});

describe('grants for a scope', () => {
  it('what lies outside › is missing in reads, lists, counts and recalls, and cannot be written', async () => {
    const { memories, recalls, working } = mneme;
    const metadata = identities.headers('ada');
    const parent = 'namespaces/own';
    expect((await get(metadata)).memory?.text).toBe('a word inside');
    expect(await refusal(get(metadata, 'outside'))).toMatchObject({ code: 'NOT_FOUND', reason: 'MEMORY_NOT_FOUND' });
    const listed = await ask(memories, memories.listMemories, ListMemoriesRequest.fromPartial({ parent }), {
      metadata,
    });
    expect(listed.memories.map(({ name }) => name)).toEqual(['namespaces/own/memories/inside']);
    const counted = await ask(memories, memories.countMemories, CountMemoriesRequest.fromPartial({ parent }), {
      metadata,
    });
    expect(Number(counted.count)).toBe(1);
    const found = await ask(
      recalls,
      recalls.recall,
      RecallRequest.fromPartial({ minRelevance: 0, parent, text: 'word' }),
      { metadata },
    );
    expect(found.hits.map(({ memory }) => memory?.name)).toEqual(['namespaces/own/memories/inside']);
    await store('ada', 'mine', { project: 'p' });
    expect(await refusal(store('ada', 'theirs', { project: 'q' }))).toMatchObject({ reason: 'PERMISSION_MISSING' });
    const value = SetValueRequest.fromPartial({
      session: `${parent}/sessions/s`,
      key: 'k',
      value: { body: { $case: 'text', value: 'v' } },
    });
    expect(await refusal(ask(working, working.setValue, value, { metadata }))).toMatchObject({
      reason: 'PERMISSION_MISSING',
    });
  });

  it('the end of a session › stores no episode outside', async () => {
    const { lifecycle } = mneme;
    const metadata = identities.headers('worker');
    const session = 'namespaces/own/sessions/s';
    const spawn = SpawnSessionRequest.fromPartial({
      parent: 'namespaces/own',
      sessionId: 's',
      scope: { project: 'p', agent: 'ada' },
      initialValues: [{ key: 'k', value: { body: { $case: 'text', value: 'v' } } }],
    });
    await ask(lifecycle, lifecycle.spawnSession, spawn, { metadata });
    const terminate = (skipEpisode: boolean) => {
      const request = TerminateSessionRequest.fromPartial({ session, skipEpisode });
      return ask(lifecycle, lifecycle.terminateSession, request, { metadata });
    };
    expect(await refusal(terminate(false))).toMatchObject({ reason: 'PERMISSION_MISSING' });
    const kept = await ask(lifecycle, lifecycle.getSession, GetSessionRequest.fromPartial({ session }), { metadata });
    expect(kept.session?.state).toBe(SessionState.SESSION_STATE_ACTIVE);
    expect((await terminate(true)).clearedCount).toBe(1);
  });

  it('the header mneme-scope › narrows, and never widens', async () => {
    expect((await get(identities.headers('ada', 'project=p&agent=ada'))).memory?.text).toBe('a word inside');
    for (const wider of ['project=q', 'agent=ada', '*']) {
      expect(await refusal(get(identities.headers('ada', wider)))).toMatchObject({ reason: 'PERMISSION_MISSING' });
    }
    expect(await refusal(get(identities.headers('reader', '*')))).toMatchObject({ reason: 'PERMISSION_MISSING' });
    expect(await reasonOf(get(identities.headers('operator', '*')))).toBe('OK');
  });

  it('a watch › has the changes inside only', async () => {
    const stream = watch('ada');
    await stream.until(({ event }) => event?.$case === 'created');
    await store('operator', 'other', { project: 'q' });
    await store('operator', 'own', { project: 'p' });
    const seen = await stream.until(({ event }) => event?.$case === 'batch');
    const changes = seen.event?.$case === 'batch' ? (seen.event.value.changes ?? []) : [];
    expect(changes.map(({ name }) => name)).toEqual(['namespaces/own/memories/own']);
    stream.cancel();
  });
});
