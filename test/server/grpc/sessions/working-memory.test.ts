import { credentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CheckpointKind } from '../../../../gen/ts/mneme/v1/checkpoint.ts';
import { KeyDifference, ScratchpadOrder, TaskStatus } from '../../../../gen/ts/mneme/v1/working_memory_service.ts';
import type { Clock } from '../../../../src/memory/clock.ts';
import { RedisServer } from '../../../support/redis-server.ts';
import { WorkingMemoryServiceClient } from '../../../support/service-clients.ts';
import { ask, refusal } from '../support/ask.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const json = (value: unknown) => ({
  mediaType: 'application/json',
  body: { $case: 'json' as const, value: JSON.stringify(value) },
});
const NONE = { expiry: undefined, sessionDefault: undefined, ifVersion: undefined, requestId: '' };
const ttl = (seconds: number) => ({ kind: { $case: 'ttl' as const, value: { seconds: BigInt(seconds), nanos: 0 } } });

describe.each(['sqlite', 'redis'])('working memory service on %s', (backend) => {
  let redis: RedisServer | undefined;
  let server: TestServer;
  let client: WorkingMemoryServiceClient;
  const time = { nowUs: 1_800_000_000_000_000 };
  const clock: Clock = { nowUs: () => time.nowUs };
  beforeAll(async () => {
    redis = backend === 'redis' ? await RedisServer.started() : undefined;
    const env: Record<string, string> = redis ? { MNEME_REDIS_URL: redis.url } : {};
    server = await startTestServer({ maxSessionKeys: '50', expiryIntervalMs: '3600000' }, { clock }, env);
    client = new WorkingMemoryServiceClient(server.address, credentials.createInsecure());
  });
  afterAll(async () => {
    client.close();
    await server.stop();
    await redis?.stop();
  });

  let count = 0;
  const newSession = () => `namespaces/wm/sessions/run-${count++}`;
  const set = (session: string, key: string, value: unknown, more: object = {}) =>
    ask(client, client.setValue, { session, key, value: json(value), ...NONE, ...more });
  const get = async (session: string, key: string) => {
    const { entry } = await ask(client, client.getValue, { session, key });
    return entry && JSON.parse(String(entry.value?.body?.value ?? '"no value"'));
  };

  test('the first write creates namespace and session; null differs from a missing key', async () => {
    const session = newSession();
    expect(await ask(client, client.getValue, { session, key: 'a' })).toEqual({ entry: undefined, revision: 0n });
    const { entry, revision } = await set(session, 'a', null);
    expect(revision).toBe(1n);
    expect(entry).toMatchObject({ key: 'a', version: 1n, value: undefined, expireTime: undefined });
    expect(await get(session, 'a')).toBeNull();
    expect(await get(session, 'b')).toBeUndefined();
    expect(await ask(client, client.hasValue, { session, key: 'a' })).toMatchObject({ exists: true });
    expect(await ask(client, client.hasValue, { session, key: 'b' })).toMatchObject({
      exists: false,
      entry: undefined,
    });
  });

  test('BatchGet reads in the order of the request and names missing keys', async () => {
    const session = newSession();
    await set(session, 'a', 1);
    await set(session, 'b', 2);
    const { entries, missing } = await ask(client, client.batchGetValues, { session, keys: ['b', 'x', 'a'] });
    expect(entries.map(({ key }) => key)).toEqual(['b', 'a']);
    expect(missing).toEqual(['x']);
  });

  test('a key expires when the clock has reached its time, and reports that time', async () => {
    const session = newSession();
    const { entry } = await set(session, 'a', 1, { expiry: ttl(60) });
    expect(entry?.expireTime?.seconds).toBe(BigInt(time.nowUs / 1e6) + 60n);
    time.nowUs += 59_999_999;
    expect(await get(session, 'a')).toBe(1);
    time.nowUs += 1;
    expect(await get(session, 'a')).toBeUndefined();
    const stats = await ask(client, client.getWorkingMemoryStatistics, { session });
    expect(stats).toMatchObject({ keyCount: 0, valueBytes: 0, hasTaskState: false });
  });

  test('versions: of two changes that expect the same one the second is ABORTED', async () => {
    const session = newSession();
    const { entry } = await set(session, 'a', 1, { ifVersion: 0n });
    await set(session, 'a', 2, { ifVersion: entry?.version });
    const late = await refusal(set(session, 'a', 3, { ifVersion: entry?.version }));
    expect(late).toMatchObject({ code: 'ABORTED', reason: 'VERSION_MISMATCH', metadata: { key: 'a', actual: '2' } });
    const gone = await refusal(ask(client, client.deleteValue, { session, key: 'a', ifVersion: 9n, requestId: '' }));
    expect(gone.reason).toBe('VERSION_MISMATCH');
  });

  test('a repeated request id has one effect, another request of that id is refused', async () => {
    const session = newSession();
    const request = { session, notes: [json('one')], requestId: 'append-once' };
    const first = await ask(client, client.appendScratchpad, request);
    expect(await ask(client, client.appendScratchpad, request)).toEqual(first);
    const other = await refusal(ask(client, client.appendScratchpad, { ...request, notes: [json('two')] }));
    expect(other.reason).toBe('REQUEST_ID_REUSED');
  });

  test('a transaction is atomic', async () => {
    const session = newSession();
    const { entry } = await set(session, 'a', 1);
    const setB = {
      $case: 'set' as const,
      value: { key: 'b', value: json(2), expiry: undefined, ifVersion: undefined },
    };
    const check = (version: bigint) => ({ $case: 'check' as const, value: { key: 'a', ifVersion: version } });
    const ask1 = (version: bigint) =>
      ask(client, client.transactValues, {
        session,
        operations: [{ kind: setB }, { kind: check(version) }],
        requestId: '',
      });
    expect((await refusal(ask1(99n))).reason).toBe('VERSION_MISMATCH');
    expect(await get(session, 'b')).toBeUndefined();
    expect((await ask1(entry?.version ?? 0n)).results[0]?.entry?.key).toBe('b');
    expect(await get(session, 'b')).toBe(2);
  });

  test('lists page by page, by pattern, and refuses the token of another list', async () => {
    const session = newSession();
    for (const key of ['user:1', 'user:2', 'user:3', 'plan']) await set(session, key, key);
    const list = (pattern: string, pageToken: string) =>
      ask(client, client.listKeys, { session, pattern, pageSize: 2, pageToken });
    const first = await list('user:*', '');
    expect(first.entries.map(({ key }) => key)).toEqual(['user:1', 'user:2']);
    const second = await list('user:*', first.nextPageToken);
    expect(second.entries.map(({ key }) => key)).toEqual(['user:3']);
    expect(second.nextPageToken).toBe('');
    expect((await refusal(list('*', first.nextPageToken))).reason).toBe('PAGE_TOKEN_INVALID');
    const all = await ask(client, client.getAllValues, {
      session,
      pattern: '',
      checkpointId: '',
      pageSize: 0,
      pageToken: '',
    });
    expect(all.entries.map(({ key, value }) => [key, value?.body?.value])).toContainEqual(['plan', '"plan"']);
  });

  test('the task state accepts partial updates and clamps its progress', async () => {
    const session = newSession();
    const task = {
      ...{ taskId: 't', description: 'build it', detail: '', currentStep: 0, totalSteps: 4, progressPercent: 0 },
      ...{ status: TaskStatus.TASK_STATUS_PENDING, startTime: undefined, updateTime: undefined, version: 0n },
    };
    const nothing = {
      ...{ currentStep: undefined, progressPercent: undefined, status: TaskStatus.TASK_STATUS_UNSPECIFIED },
      ...{ detail: undefined, description: undefined, totalSteps: undefined, ifVersion: undefined, requestId: '' },
    };
    const update = (more: object) => ask(client, client.updateTaskProgress, { session, ...nothing, ...more });
    expect((await refusal(update({ progressPercent: 5 }))).reason).toBe('SESSION_NOT_FOUND');
    await ask(client, client.setTaskState, { session, task, ifVersion: undefined, requestId: '' });
    await update({ progressPercent: 250 });
    await update({ currentStep: 2n, status: TaskStatus.TASK_STATUS_IN_PROGRESS });
    const { task: now } = await ask(client, client.getTaskState, { session });
    expect(now).toMatchObject({ progressPercent: 100, currentStep: 2, status: 2, description: 'build it' });
    expect(await refusal(update({ progressPercent: Number.NaN }))).toMatchObject({ fields: ['progress_percent'] });
    expect(await refusal(update({ currentStep: 5n }))).toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(await refusal(update({}))).toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  test('the scratchpad keeps order and pages from either end', async () => {
    const session = newSession();
    const notes = ['one', 'two', 'three'].map(json);
    const { firstSequence } = await ask(client, client.appendScratchpad, { session, notes, requestId: '' });
    expect(firstSequence).toBe(1);
    const list = (order: ScratchpadOrder, pageToken = '') =>
      ask(client, client.listScratchpad, { session, order, pageSize: 2, pageToken });
    const newest = await list(ScratchpadOrder.SCRATCHPAD_ORDER_NEWEST_FIRST);
    expect(newest.notes.map(({ sequence }) => sequence)).toEqual([3, 2]);
    const rest = await list(ScratchpadOrder.SCRATCHPAD_ORDER_NEWEST_FIRST, newest.nextPageToken);
    expect(rest).toMatchObject({ totalCount: 3, nextPageToken: '' });
    expect(await ask(client, client.clearScratchpad, { session, requestId: '' })).toMatchObject({ noteCount: 3 });
    expect((await list(ScratchpadOrder.SCRATCHPAD_ORDER_UNSPECIFIED)).notes).toEqual([]);
  });

  test('checkpoints: made, listed, restored, compared, forked, kept, deleted', async () => {
    const session = newSession();
    await set(session, 'a', 1);
    await set(session, 'b', 1);
    const create = (checkpointId: string, more: object = {}) =>
      ask(client, client.createCheckpoint, {
        session,
        checkpointId,
        description: 'd',
        ttl: undefined,
        requestId: '',
        ...more,
      });
    const { checkpoint } = await create('c1', { ttl: { seconds: 60n, nanos: 0 } });
    expect(checkpoint).toMatchObject({
      id: 'c1',
      kind: CheckpointKind.CHECKPOINT_KIND_MANUAL,
      keyCount: 2,
      parentCheckpointId: '',
    });
    expect((await refusal(create('c1'))).reason).toBe('CHECKPOINT_EXISTS');
    await set(session, 'a', 2);
    await set(session, 'c', 3);
    await ask(client, client.deleteValue, { session, key: 'b', ifVersion: undefined, requestId: '' });
    const diff = await ask(client, client.diffCheckpoints, {
      session,
      checkpointId: 'c1',
      toCheckpointId: '',
      toSession: '',
    });
    expect(diff.keys.map(({ key, difference }) => [key, difference])).toEqual([
      ['a', KeyDifference.KEY_DIFFERENCE_CHANGED],
      ['b', KeyDifference.KEY_DIFFERENCE_REMOVED],
      ['c', KeyDifference.KEY_DIFFERENCE_ADDED],
    ]);
    const target = newSession();
    const fork = { session, checkpointId: 'c1', targetSession: target, requestId: 'fork' };
    expect(await ask(client, client.forkCheckpoint, fork)).toMatchObject({ keyCount: 2 });
    expect(await ask(client, client.forkCheckpoint, fork)).toMatchObject({ keyCount: 2 });
    expect(await get(target, 'a')).toBe(1);
    expect((await refusal(ask(client, client.forkCheckpoint, { ...fork, requestId: '' }))).reason).toBe(
      'SESSION_EXISTS',
    );
    const restore = (id: string) =>
      ask(client, client.restoreCheckpoint, { session, checkpointId: id, mode: 0, requestId: '' });
    expect(await restore('c1')).toMatchObject({ restoredCount: 2, removedCount: 1, expiredCount: 0 });
    expect([await get(session, 'a'), await get(session, 'b'), await get(session, 'c')]).toEqual([1, 1, undefined]);
    await create('c2');
    const list = await ask(client, client.listCheckpoints, { session, pageSize: 1, pageToken: '', kind: 0 });
    expect(list.checkpoints.map(({ id, parentCheckpointId: parent }) => [id, parent])).toEqual([['c2', 'c1']]);
    const rest = await ask(client, client.listCheckpoints, {
      session,
      pageSize: 1,
      pageToken: list.nextPageToken,
      kind: 0,
    });
    expect(rest.checkpoints.map(({ id }) => id)).toEqual(['c1']);
    await ask(client, client.keepCheckpoint, { session, checkpointId: 'c1', ttl: undefined, requestId: '' });
    time.nowUs += 61_000_000;
    const got = await ask(client, client.getCheckpoint, { session, checkpointId: 'c1' });
    expect(got.checkpoint?.expireTime).toBeUndefined();
    const page = { session, pattern: '', checkpointId: 'c1', pageSize: 1, pageToken: '' };
    expect((await ask(client, client.getAllValues, page)).entries.map(({ key }) => key)).toEqual(['a']);
    await ask(client, client.deleteCheckpoint, { session, checkpointId: 'c1', requestId: '' });
    expect((await refusal(restore('c1'))).reason).toBe('CHECKPOINT_NOT_FOUND');
    expect(await get(session, 'a')).toBe(1);
  });

  test('a session holds no more keys than it may', async () => {
    const session = newSession();
    for (let at = 0; at < 50; at++) await set(session, `k${at}`, at);
    const full = await refusal(set(session, 'one more', 1));
    expect(full).toMatchObject({ code: 'RESOURCE_EXHAUSTED', reason: 'SESSION_FULL', metadata: { limit: '50' } });
    expect(
      await ask(client, client.clearWorkingMemory, {
        session,
        keepValues: false,
        clearTaskState: true,
        clearScratchpad: true,
        requestId: '',
      }),
    ).toMatchObject({ keyCount: 50, noteCount: 0 });
    await set(session, 'one more', 1);
  });

  test('a session whose id holds slashes, colons and signs of patterns is itself alone', async () => {
    const ids = ['a', 'a/b', 'a/*', '*', 'a:b', '[a]', '../a', 'sessions/a', ' '];
    for (const id of ids) await set(`namespaces/odd/sessions/${id}`, 'whose', id);
    for (const id of ids) expect(await get(`namespaces/odd/sessions/${id}`, 'whose')).toBe(id);
    expect(await get('namespaces/other/sessions/a', 'whose')).toBeUndefined();
  });

  test('deleting a namespace deletes its sessions', async () => {
    await set('namespaces/gone/sessions/a', 'k', 1);
    const kept = await refusal(
      ask(server.namespaces, server.namespaces.deleteNamespace, {
        name: 'namespaces/gone',
        force: false,
        requestId: '',
      }),
    );
    expect(kept.reason).toBe('NAMESPACE_NOT_EMPTY');
    await ask(server.namespaces, server.namespaces.deleteNamespace, {
      name: 'namespaces/gone',
      force: true,
      requestId: '',
    });
    await set('namespaces/gone/sessions/b', 'k', 1);
    expect(await get('namespaces/gone/sessions/a', 'k')).toBeUndefined();
  });
});
