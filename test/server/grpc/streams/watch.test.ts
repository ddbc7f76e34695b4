import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Change, ChangeKind as Kind } from '../../../../gen/ts/mneme/v1/change.ts';
import { MemoryField, Operator } from '../../../../gen/ts/mneme/v1/filter.ts';
import { MemoryView } from '../../../../gen/ts/mneme/v1/memory.ts';
import { DeleteMemoryRequest, UpdateMemoryRequest } from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { DeleteNamespaceRequest } from '../../../../gen/ts/mneme/v1/namespace_service.ts';
import { WatchMemoriesRequest, type WatchMemoriesResponse } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { ask, refusalOf } from '../support/ask.ts';
import { FollowedStream } from '../support/followed-stream.ts';
import { freshNamespace, store } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ embedder: 'none', maxStreamsPerCaller: '3' });
});
afterAll(() => server.stop());

type Asked = Parameters<typeof WatchMemoriesRequest.fromPartial>[0];

function watch(asked: Asked): FollowedStream<WatchMemoriesResponse> {
  return new FollowedStream(server.recalls.watchMemories(WatchMemoriesRequest.fromPartial(asked)));
}

function changesOf({ messages }: FollowedStream<WatchMemoriesResponse>): Change[] {
  return messages.flatMap(({ event }) => (event?.$case === 'batch' ? event.value.changes : []));
}

const isProgress = (revision: bigint) => (message: WatchMemoriesResponse) =>
  message.event?.$case === 'progress' && message.revision >= revision;
const hasChange = (revision: bigint) => (message: WatchMemoriesResponse) =>
  message.event?.$case === 'batch' && message.revision >= revision;

async function reasonOf(stream: FollowedStream<WatchMemoriesResponse>): Promise<string | undefined> {
  const end = await stream.outcome();
  if (end === true) throw new Error('the stream has ended well');
  return refusalOf(end).reason;
}

test('Watch: from any revision › all later changes arrive in order, each with its resulting state', async () => {
  const parent = freshNamespace();
  const first = await store(server, parent, { text: 'one' });
  const second = await store(server, parent, { text: 'two' });
  const { memories } = server;
  const changed = { memory: { name: first.name, text: 'one again' }, updateMask: ['text'] };
  const { revision } = await ask(memories, memories.updateMemory, UpdateMemoryRequest.fromPartial(changed));
  await ask(memories, memories.deleteMemory, DeleteMemoryRequest.fromPartial({ name: second.name }));
  const stream = watch({ parent, startRevision: first.revision });
  await stream.until(isProgress(revision + 1n));
  const live = await store(server, parent, { text: 'three' });
  await stream.until(hasChange(live.revision));
  stream.cancel();
  const received = changesOf(stream).map(({ kind, memory, name }) => [kind, memory?.text, name]);
  expect(received).toEqual([
    [Kind.CHANGE_KIND_STORED, 'one', first.name],
    [Kind.CHANGE_KIND_STORED, undefined, second.name],
    [Kind.CHANGE_KIND_UPDATED, 'one again', first.name],
    [Kind.CHANGE_KIND_DELETED, undefined, second.name],
    [Kind.CHANGE_KIND_STORED, 'three', live.name],
  ]);
  const revisions = changesOf(stream).map((change) => change.revision);
  expect(revisions).toEqual([...revisions].sort((a, b) => Number(a - b)));
  expect(stream.messages[0]?.event?.$case).toBe('created');
});

test('Watch: with a token › continues after it, and another watch refuses it', async () => {
  const parent = freshNamespace();
  await store(server, parent, { text: 'one' });
  const before = watch({ parent, startRevision: 1n });
  const { resumeToken } = await before.until(({ event }) => event?.$case === 'batch');
  before.cancel();
  const { revision } = await store(server, parent, { text: 'two' });
  const after = watch({ parent, resumeToken });
  await after.until(isProgress(revision));
  after.cancel();
  expect(changesOf(after).map(({ memory }) => memory?.text)).toEqual(['two']);
  const foreign = freshNamespace();
  await store(server, foreign, { text: 'x' });
  expect(await reasonOf(watch({ parent: foreign, resumeToken }))).toBe('RESUME_TOKEN_INVALID');
  expect(await reasonOf(watch({ parent, resumeToken: 'nonsense' }))).toBe('RESUME_TOKEN_INVALID');
});

test('Watch: with a filter › sends admitted memories, and an update by which a memory leaves it', async () => {
  const parent = freshNamespace();
  const filter = {
    node: {
      $case: 'comparison' as const,
      value: {
        target: { $case: 'field' as const, value: MemoryField.MEMORY_FIELD_TYPE },
        op: Operator.OPERATOR_EQUALS,
        values: [{ kind: { $case: 'stringValue' as const, value: 'fact' } }],
      },
    },
  };
  const one = await store(server, parent, { text: 'one', type: 'fact' });
  await store(server, parent, { text: 'two', type: 'episode' });
  const { memories } = server;
  const leaving = { memory: { name: one.name, type: 'episode' }, updateMask: ['type'] };
  const { revision } = await ask(memories, memories.updateMemory, UpdateMemoryRequest.fromPartial(leaving));
  const stream = watch({ parent, filter, startRevision: one.revision });
  await stream.until(isProgress(revision));
  stream.cancel();
  expect(changesOf(stream).map(({ name, leaves, memory }) => [name, leaves, memory?.text])).toEqual([
    [one.name, false, 'one'],
    [one.name, true, undefined],
  ]);
});

test('Watch: with a filter, of a memory that was erased since › sends its deletion only', async () => {
  const parent = freshNamespace();
  const { memories } = server;
  const erased = await store(server, parent, { text: 'one', step: 5n });
  const changed = { memory: { name: erased.name, text: 'one again' }, updateMask: ['text'] };
  await ask(memories, memories.updateMemory, UpdateMemoryRequest.fromPartial(changed));
  const kept = await store(server, parent, { text: 'two', step: 6n });
  await ask(memories, memories.deleteMemory, DeleteMemoryRequest.fromPartial({ name: erased.name }));
  const stream = watch({ parent, startRevision: erased.revision, filterText: 'step >= 1', maxBatchChanges: 1 });
  await stream.until(isProgress(kept.revision + 1n));
  stream.cancel();
  expect(changesOf(stream).map(({ kind, name }) => [kind, name])).toEqual([
    [Kind.CHANGE_KIND_STORED, kept.name],
    [Kind.CHANGE_KIND_DELETED, erased.name],
  ]);
});

test('Watch: batches › have the requested number of changes, and report that more follow', async () => {
  const parent = freshNamespace();
  const { revision: startRevision } = await store(server, parent, { text: 'x' });
  let revision = startRevision;
  for (let i = 0; i < 5; i++) ({ revision } = await store(server, parent, { text: 'x'.repeat(3000) }));
  const two = watch({ parent, startRevision, maxBatchChanges: 2, view: MemoryView.MEMORY_VIEW_METADATA });
  await two.until(isProgress(revision));
  two.cancel();
  const sizes = two.messages.flatMap(({ event }) =>
    event?.$case === 'batch' ? [[event.value.changes.length, event.value.fragment]] : [],
  );
  expect(sizes).toEqual([
    [2, true],
    [2, true],
    [2, false],
  ]);
  expect(changesOf(two).every(({ memory }) => memory?.text === '')).toBe(true);
  const small = watch({ parent, startRevision, maxBatchBytes: 4096 });
  await small.until(isProgress(revision));
  small.cancel();
  expect(changesOf(small)).toHaveLength(6);
  expect(small.messages.length).toBeGreaterThan(5);
});

test('Watch: an idle namespace › sends heartbeats and its progress', async () => {
  const parent = freshNamespace();
  await store(server, parent, { text: 'x' });
  const stream = watch({ parent, heartbeatInterval: { seconds: 1n } });
  const { revision } = await store(server, freshNamespace(), { text: 'elsewhere' });
  await stream.until(isProgress(revision));
  stream.cancel();
  expect(changesOf(stream)).toEqual([]);
});

test('Watch: invalid requests › are refused with the reason', async () => {
  const parent = freshNamespace();
  const { revision } = await store(server, parent, { text: 'x' });
  expect(await reasonOf(watch({ parent, startRevision: revision + 1000n }))).toBe('REVISION_AHEAD');
  expect(await reasonOf(watch({ parent, startRevision: -1n }))).toBe('FIELD_INVALID');
  expect(await reasonOf(watch({ parent, heartbeatInterval: { seconds: 0n, nanos: 5 } }))).toBe('FIELD_INVALID');
  expect(await reasonOf(watch({ parent, filter: {} }))).toBe('FILTER_INVALID');
  expect(await reasonOf(watch({ parent, maxBatchChanges: 5000 }))).toBe('FIELD_INVALID');
});

test('Watch: more streams than a caller may have › are refused, until one ends', async () => {
  const parent = freshNamespace();
  await store(server, parent, { text: 'x' });
  const open = [watch({ parent }), watch({ parent }), watch({ parent })];
  for (const stream of open) await stream.until(({ event }) => event?.$case === 'created');
  expect(await reasonOf(watch({ parent }))).toBe('TOO_MANY_STREAMS');
  open[0]?.cancel();
  let next = watch({ parent });
  for (;;) {
    const isOpen = await next.until(({ event }) => event?.$case === 'created').catch(() => undefined);
    if (isOpen) break;
    next = watch({ parent });
  }
  for (const stream of [...open.slice(1), next]) stream.cancel();
});

test('Watch: a deleted namespace › is reported, and ends the stream', async () => {
  const parent = freshNamespace();
  await store(server, parent, { text: 'x' });
  const stream = watch({ parent });
  await stream.until(({ event }) => event?.$case === 'created');
  const { namespaces } = server;
  await ask(namespaces, namespaces.deleteNamespace, DeleteNamespaceRequest.fromPartial({ name: parent, force: true }));
  expect(await reasonOf(stream)).toBe('NAMESPACE_NOT_FOUND');
  expect(changesOf(stream).at(-1)?.kind).toBe(Kind.CHANGE_KIND_NAMESPACE_DELETED);
});
