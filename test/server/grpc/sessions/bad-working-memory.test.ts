import { credentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  CreateCheckpointRequest,
  DeleteCheckpointRequest,
  ForkCheckpointRequest,
  GetCheckpointRequest,
  RestoreCheckpointRequest,
  SetTaskStateRequest,
  UpdateTaskProgressRequest,
} from '../../../../gen/ts/mneme/v1/working_memory_service.ts';
import { WorkingMemoryServiceClient } from '../../../support/service-clients.ts';
import { ask, refusal } from '../support/ask.ts';
import { SESSION_BACKENDS, startSessionServer } from '../support/session-backends.ts';
import type { TestServer } from '../support/test-server.ts';

const value = { mediaType: 'text/plain', body: { $case: 'data' as const, value: Buffer.from('v') } };
const good = {
  session: 'namespaces/n/sessions/s',
  key: 'k',
  value,
  expiry: undefined,
  sessionDefault: undefined,
  ifVersion: undefined,
  requestId: '',
};
const ttl = (seconds: bigint, nanos = 0) => ({ kind: { $case: 'ttl' as const, value: { seconds, nanos } } });

describe.each(SESSION_BACKENDS)('bad input of working memory, with sessions in %s', (backend) => {
  let server: TestServer;
  let client: WorkingMemoryServiceClient;
  beforeAll(async () => {
    server = await startSessionServer(backend, {
      maxSessionKeys: '12',
      maxSessionBytes: '4096',
      maxSessionCheckpoints: '2',
    });
    client = new WorkingMemoryServiceClient(server.address, credentials.createInsecure());
  });
  afterAll(async () => {
    client.close();
    await server.stop();
  });

  test.each([
    ['an empty key', { key: '' }, 'key'],
    ['a key that is too long', { key: 'k'.repeat(1025) }, 'key'],
    ['a key with NUL', { key: 'a\0b' }, 'key'],
    ['a key with a line end', { key: 'a\nb' }, 'key'],
    ['no session', { session: '' }, 'session'],
    ['a session without an id', { session: 'namespaces/n/sessions/' }, 'session'],
    ['a session of no namespace', { session: 'namespaces/N N/sessions/s' }, 'session'],
    ['a session id that is too long', { session: `namespaces/n/sessions/${'s'.repeat(129)}` }, 'session'],
    ['a session id with a control character', { session: 'namespaces/n/sessions/a\u0007' }, 'session'],
    ['no value', { value: undefined }, 'value'],
    [
      'a value without a media type',
      { value: { mediaType: '', body: { $case: 'data' as const, value: Buffer.alloc(0) } } },
      'value.media_type',
    ],
    [
      'JSON that is none',
      { value: { mediaType: 'application/json', body: { $case: 'data' as const, value: Buffer.from('{') } } },
      'value.data',
    ],
    [
      'a value that is too large',
      { value: { mediaType: 'a/b', body: { $case: 'data' as const, value: Buffer.alloc(1_048_577) } } },
      'value.data',
    ],
    ['a time to live of 0', { expiry: ttl(0n) }, 'expiry.ttl'],
    ['a negative time to live', { expiry: ttl(-1n) }, 'expiry.ttl'],
    ['a time to live that overflows', { expiry: ttl(2n ** 62n) }, 'expiry.ttl'],
    ['a time to live of too many nanoseconds', { expiry: ttl(1n, 1_000_000_000) }, 'expiry.ttl.nanos'],
    ['a time to live of less than its seconds', { expiry: ttl(1n, -1) }, 'expiry.ttl.nanos'],
    ['an expiry that says nothing', { expiry: { kind: undefined } }, 'expiry'],
    ['never that is false', { expiry: { kind: { $case: 'never' as const, value: false } } }, 'expiry.never'],
    ['a negative version', { ifVersion: -1n }, 'if_version'],
  ])('Set of %s is refused and names the field', async (_, wrong, field) => {
    const refused = await refusal(ask(client, client.setValue, { ...good, ...wrong }));
    expect(refused).toMatchObject({ code: 'INVALID_ARGUMENT', reason: 'FIELD_INVALID', fields: [field] });
  });

  test('all violations are reported together', async () => {
    const refused = await refusal(
      ask(client, client.setValue, { ...good, key: '', value: undefined, expiry: ttl(0n) }),
    );
    expect(refused.fields.toSorted()).toEqual(['expiry.ttl', 'key', 'value']);
  });

  test('the shortest time to live is a microsecond, the longest a hundred years', async () => {
    const { entry } = await ask(client, client.setValue, { ...good, expiry: ttl(0n, 1) });
    expect(entry?.expireTime).toBeDefined();
    await ask(client, client.setValue, { ...good, expiry: ttl(36_500n * 86_400n) });
    expect((await refusal(ask(client, client.setValue, { ...good, expiry: ttl(36_500n * 86_400n + 1n) }))).reason).toBe(
      'FIELD_INVALID',
    );
  });

  test('keys that look like parts of a store are keys like others', async () => {
    const keys = ['_task_state', '__proto__', 'constructor', '*', 'a:b', '{a}', '%', "'; DROP TABLE session; --", '😀'];
    for (const key of keys) await ask(client, client.setValue, { ...good, session: 'namespaces/n/sessions/odd', key });
    const page = { session: 'namespaces/n/sessions/odd', pattern: '', pageSize: 0, pageToken: '' };
    const { entries } = await ask(client, client.listKeys, page);
    expect(entries.map(({ key }) => key).toSorted()).toEqual(keys.toSorted());
    const { entries: read } = await ask(client, client.batchGetValues, { session: page.session, keys });
    expect(read).toHaveLength(keys.length);
  });

  test('a transaction without steps, with too many, with a key twice or with an empty step is refused', async () => {
    const { session } = good;
    const transact = (
      operations: { kind: undefined | { $case: 'remove'; value: { key: string; ifVersion: undefined } } }[],
    ) => refusal(ask(client, client.transactValues, { session, operations, requestId: '' }));
    const remove = (key: string) => ({ kind: { $case: 'remove' as const, value: { key, ifVersion: undefined } } });
    expect((await transact([])).fields).toEqual(['operations']);
    expect((await transact(Array.from({ length: 1001 }, (_, at) => remove(`${at}`)))).fields).toEqual(['operations']);
    expect((await transact([remove('a'), remove('a')])).fields).toEqual(['operations[1]']);
    expect((await transact([{ kind: undefined }])).fields).toEqual(['operations[0]']);
  });

  test('a step beyond the last one names the field that is at fault', async () => {
    const session = 'namespaces/n/sessions/steps';
    const setTask = (currentStep: number) => {
      const request = SetTaskStateRequest.fromPartial({ session, task: { totalSteps: 3, currentStep } });
      return ask(client, client.setTaskState, request);
    };
    const update = (patch: { currentStep?: bigint; totalSteps?: bigint }) =>
      refusal(ask(client, client.updateTaskProgress, UpdateTaskProgressRequest.fromPartial({ session, ...patch })));
    expect((await refusal(setTask(4))).fields).toEqual(['task.current_step']);
    await setTask(3);
    expect((await update({ currentStep: 4n })).fields).toEqual(['current_step']);
    expect((await update({ totalSteps: 2n })).fields).toEqual(['total_steps']);
  });

  test('a checkpoint id that is none, a fork into another namespace and a pattern that is too long are refused', async () => {
    const { session } = good;
    const create = { session, checkpointId: 'a/b', description: '', ttl: undefined, requestId: '' };
    expect((await refusal(ask(client, client.createCheckpoint, create))).fields).toEqual(['checkpoint_id']);
    const fork = { session, checkpointId: 'c', targetSession: 'namespaces/other/sessions/s', requestId: '' };
    expect((await refusal(ask(client, client.forkCheckpoint, fork))).fields).toEqual(['target_session']);
    const list = { session, pattern: 'x'.repeat(513), pageSize: 0, pageToken: '' };
    expect((await refusal(ask(client, client.listKeys, list))).fields).toEqual(['pattern']);
    const restore = { session, checkpointId: 'gone', mode: 0 as const, requestId: '' };
    await ask(client, client.setValue, good);
    expect((await refusal(ask(client, client.restoreCheckpoint, restore))).reason).toBe('CHECKPOINT_NOT_FOUND');
    const elsewhere = { ...restore, session: 'namespaces/n/sessions/never-written' };
    expect((await refusal(ask(client, client.restoreCheckpoint, elsewhere))).reason).toBe('SESSION_NOT_FOUND');
  });

  test('a session over its limits is refused with the limit that it reached, and nothing of it is stored', async () => {
    const session = 'namespaces/n/sessions/full';
    const set = (key: string, bytes = 1) =>
      ask(client, client.setValue, {
        ...good,
        session,
        key,
        value: { ...value, body: { $case: 'data', value: Buffer.alloc(bytes, 'v') } },
      });
    for (const key of 'abcdefghijkl') await set(key);
    expect(await refusal(set('more'))).toMatchObject({
      code: 'RESOURCE_EXHAUSTED',
      reason: 'SESSION_FULL',
      metadata: { name: session, what: 'keys', limit: '12' },
    });
    expect(await refusal(set('a', 5000))).toMatchObject({
      code: 'RESOURCE_EXHAUSTED',
      reason: 'SESSION_FULL',
      metadata: { what: 'bytes of keys and values', limit: '4096' },
    });
    const kept = await ask(client, client.getValue, { session, key: 'a' });
    expect(kept.entry?.value?.body?.value).toHaveLength(1);
    const checkpoint = (checkpointId: string) =>
      ask(client, client.createCheckpoint, CreateCheckpointRequest.fromPartial({ session, checkpointId }));
    await checkpoint('one');
    await checkpoint('two');
    expect(await refusal(checkpoint('three'))).toMatchObject({ reason: 'SESSION_FULL', metadata: { limit: '2' } });
  });

  test('a checkpoint that was deleted, or never was, cannot be restored, read, forked, kept or deleted', async () => {
    const session = 'namespaces/n/sessions/rested';
    await ask(client, client.setValue, { ...good, session });
    await ask(client, client.createCheckpoint, CreateCheckpointRequest.fromPartial({ session, checkpointId: 'c' }));
    const drop = () =>
      ask(client, client.deleteCheckpoint, DeleteCheckpointRequest.fromPartial({ session, checkpointId: 'c' }));
    await drop();
    const missing = { code: 'NOT_FOUND', reason: 'CHECKPOINT_NOT_FOUND', metadata: { name: session, checkpoint: 'c' } };
    const target = 'namespaces/n/sessions/elsewhere';
    for (const call of [
      drop(),
      ask(client, client.restoreCheckpoint, RestoreCheckpointRequest.fromPartial({ session, checkpointId: 'c' })),
      ask(client, client.getCheckpoint, GetCheckpointRequest.fromPartial({ session, checkpointId: 'c' })),
      ask(
        client,
        client.forkCheckpoint,
        ForkCheckpointRequest.fromPartial({ session, checkpointId: 'c', targetSession: target }),
      ),
    ]) {
      expect(await refusal(call)).toMatchObject(missing);
    }
    const kept = await ask(client, client.getValue, { session, key: 'k' });
    expect(kept.entry?.key).toBe('k');
  });
});
