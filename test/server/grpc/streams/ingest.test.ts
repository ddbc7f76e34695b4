import { once } from 'node:events';
import type { ServiceError } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { BadRequest, ErrorInfo } from '../../../../gen/ts/google/rpc/error_details.ts';
import type { IngestResult } from '../../../../gen/ts/mneme/v1/ingest_service.ts';
import {
  ConflictPolicy,
  DeleteMemoryRequest,
  ListMemoriesRequest,
  MemoryOrder,
} from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { ask, refusalOf } from '../support/ask.ts';
import { TestIngest } from '../support/ingest.ts';
import { freshNamespace, vector } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let mneme: TestServer;
beforeAll(async () => {
  mneme = await startTestServer({ heartbeatIntervalMs: '100' });
});
afterAll(() => mneme.stop());

const open: TestIngest[] = [];
afterEach(() => {
  for (const { stream } of open.splice(0)) stream.cancel();
});
function ingest(parent: string, streamId = 's', rest: object = {}): TestIngest {
  const made = new TestIngest(mneme.ingests, { parent, streamId, ...rest });
  open.push(made);
  return made;
}

const texts = (from: number, count: number) => Array.from({ length: count }, (_, at) => ({ text: `t${from + at}` }));

async function stored(parent: string): Promise<string[]> {
  const request = ListMemoriesRequest.fromPartial({
    parent,
    pageSize: 1000,
    order: MemoryOrder.MEMORY_ORDER_CREATE_TIME_ASC,
  });
  const { memories } = await ask(mneme.memories, mneme.memories.listMemories, request);
  return memories.map(({ text }) => text);
}

function reasonOf({ outcome }: IngestResult): string | undefined {
  const [info] = outcome?.$case === 'error' ? outcome.value.details : [];
  return info && ErrorInfo.decode(info.value).reason;
}

function fieldsOf(result: IngestResult | undefined): string[] {
  const details = result?.outcome?.$case === 'error' ? result.outcome.value.details : [];
  const faults = details.find(({ typeUrl }) => typeUrl.endsWith('google.rpc.BadRequest'));
  return faults ? BadRequest.decode(faults.value).fieldViolations.map(({ field }) => field) : [];
}

async function failureOf(stream: TestIngest) {
  return refusalOf((await stream.ended) as ServiceError);
}

describe('an ingest', () => {
  it('when batches are sent › all items are stored in their order and acknowledged up to the last', async () => {
    const parent = freshNamespace();
    const stream = ingest(parent);
    stream.batch(1, texts(1, 100));
    stream.batch(101, texts(101, 1));
    stream.batch(102, texts(102, 256));
    stream.stream.end();

    expect(await stream.ended).toBeUndefined();
    expect(stream.messages[0]?.message).toMatchObject({ $case: 'started', value: { maxBatchSize: 256 } });
    expect(stream.acknowledged).toBe(357);
    expect(stream.results.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 357 }, (_, at) => at + 1));
    expect(stream.acknowledgements.at(-1)).toMatchObject({ storedCount: 357, existingCount: 0, refusedCount: 0 });
    expect(await stored(parent)).toEqual(texts(1, 357).map(({ text }) => text));
  });

  it('when an item cannot be stored › it is refused individually and the others are stored', async () => {
    const parent = freshNamespace();
    const stream = ingest(parent);
    stream.batch(1, [
      { text: 'a' },
      { text: '' },
      { memory: undefined },
      { text: 'b', id: 'b' },
      { text: 'c', id: 'b' },
    ]);
    const embedded = (text: string, ...values: number[]) => ({ memory: { text, embedding: vector(...values) } });
    stream.batch(6, [embedded('d', 1, 2) as never, embedded('e', 1, 2, 3) as never, { text: 'f', id: 'no id!' }]);
    stream.stream.end();

    expect(await stream.ended).toBeUndefined();
    expect(stream.results.map((result) => reasonOf(result) ?? 'stored')).toEqual([
      'stored',
      'FIELD_INVALID',
      'FIELD_INVALID',
      'stored',
      'FIELD_INVALID',
      'stored',
      'DIMENSION_MISMATCH',
      'FIELD_INVALID',
    ]);
    expect(stream.acknowledgements.at(-1)).toMatchObject({ acknowledgedSequence: 8, storedCount: 3, refusedCount: 5 });
    expect(fieldsOf(stream.results[6])).toEqual(['items[1].memory.embedding.dimension']);
    expect((await stored(parent)).sort()).toEqual(['a', 'b', 'd']);
  });

  it('when only refusals are requested › stored items are not reported', async () => {
    const stream = ingest(freshNamespace(), 's', { refusalsOnly: true });
    stream.batch(1, [{ text: 'a' }, { text: '' }]);
    await stream.until(() => stream.acknowledged === 2);
    expect(stream.results.map(({ sequence }) => sequence)).toEqual([2]);
  });

  it('when a stream broke and its batches are sent again › each item is there once, with the first receipt', async () => {
    const parent = freshNamespace();
    const first = ingest(parent, 'again');
    first.batch(1, texts(1, 50));
    first.batch(51, [...texts(51, 10), { text: '' }]);
    await first.until(() => first.acknowledged === 61);
    first.stream.cancel();
    await first.ended;

    const second = ingest(parent, 'again', { acknowledgedSequence: 50 });
    second.batch(51, [...texts(51, 10), { text: '' }]);
    second.batch(62, texts(62, 5));
    await second.until(() => second.acknowledged === 66);

    expect(second.results.slice(0, 11)).toEqual(first.results.slice(50));
    expect(await stored(parent)).toEqual([...texts(1, 60), ...texts(62, 5)].map(({ text }) => text));
  });

  it('when it is resumed with other batches › items without ids are still stored once', async () => {
    const parent = freshNamespace();
    const first = ingest(parent, 'cut');
    first.batch(1, texts(1, 30));
    await first.until(() => first.acknowledged === 30);

    const second = ingest(parent, 'cut', { acknowledgedSequence: 20 });
    second.batch(21, texts(21, 20));
    await second.until(() => second.acknowledged === 40);
    expect(second.acknowledgements.at(-1)).toMatchObject({ storedCount: 10, existingCount: 10 });
    expect(await stored(parent)).toEqual(texts(1, 40).map(({ text }) => text));
  });

  it('when the first batch after an interruption has other bounds › unacknowledged stored items exist once', async () => {
    const parent = freshNamespace();
    const own = (from: number, count: number) =>
      texts(from, count).map((item) => ({ ...item, id: `own-${item.text}` }));
    for (const [streamId, items] of [
      ['derived', texts],
      ['provided', own],
    ] as const) {
      const first = ingest(parent, streamId);
      first.batch(1, items(1, 2));
      first.batch(3, items(3, 1));
      await first.until(() => first.acknowledged === 3);

      // As a client that has not read the last acknowledgement.
      const second = ingest(parent, streamId, { acknowledgedSequence: 2 });
      second.batch(3, items(3, 2));
      await second.until(() => second.acknowledged === 4);
      expect(second.acknowledgements.at(-1)).toMatchObject({ storedCount: 1, existingCount: 1, refusedCount: 0 });
    }
    expect((await stored(parent)).toSorted()).toEqual(['t1', 't1', 't2', 't2', 't3', 't3', 't4', 't4']);
  });

  it('when a memory was deleted meanwhile › sending its batch again does not bring it back', async () => {
    const parent = freshNamespace();
    const first = ingest(parent, 'gone');
    first.batch(1, [{ text: 'a', id: 'a' }]);
    await first.until(() => first.acknowledged === 1);
    await ask(
      mneme.memories,
      mneme.memories.deleteMemory,
      DeleteMemoryRequest.fromPartial({ name: `${parent}/memories/a` }),
    );

    const second = ingest(parent, 'gone');
    second.batch(1, [{ text: 'a', id: 'a' }]);
    await second.until(() => second.acknowledged === 1);
    expect(await stored(parent)).toEqual([]);
  });

  it('when ids exist › they are kept, replaced or refused as requested', async () => {
    const parent = freshNamespace();
    const first = ingest(parent, '1');
    first.batch(1, [{ text: 'old', id: 'a' }]);
    await first.until(() => first.acknowledged === 1);
    const counts = [];
    for (const conflictPolicy of [
      ConflictPolicy.CONFLICT_POLICY_KEEP,
      ConflictPolicy.CONFLICT_POLICY_FAIL,
      ConflictPolicy.CONFLICT_POLICY_REPLACE,
    ]) {
      const next = ingest(parent, `p${conflictPolicy}`, { conflictPolicy });
      next.batch(1, [{ text: `new ${conflictPolicy}` }, { text: 'new', id: 'a' }]);
      await next.until(() => next.acknowledged === 2);
      counts.push([next.results.map((result) => reasonOf(result)), next.acknowledgements.at(-1)?.existingCount]);
    }
    expect(counts).toEqual([
      [[undefined, undefined], 1],
      [[undefined, 'MEMORY_EXISTS'], 0],
      [[undefined, undefined], 0],
    ]);
    expect((await stored(parent)).sort()).toEqual(['new', 'new 1', 'new 2', 'new 3']);
  });

  it('when idle › it sends heartbeats', async () => {
    const stream = ingest(freshNamespace());
    const beats = () => stream.messages.filter(({ message }) => message?.$case === 'heartbeat').length;
    await stream.until(() => beats() >= 2);
    stream.send({ $case: 'heartbeat', value: {} });
    stream.batch(1, [{ text: 'a' }]);
    await stream.until(() => stream.acknowledged === 1);
  });

  it.each([
    ['a stream without a name', { parent: 'namespaces/x' }, 'start.stream_id'],
    ['a wrong namespace', { parent: 'x', streamId: 's' }, 'start.parent'],
    [
      'a place before the first',
      { parent: 'namespaces/x', streamId: 's', acknowledgedSequence: -1 },
      'start.acknowledged_sequence',
    ],
  ])('when it begins with %s › it ends with INVALID_ARGUMENT', async (_, start, field) => {
    const stream = new TestIngest(mneme.ingests, start);
    expect(await failureOf(stream)).toMatchObject({ code: 'INVALID_ARGUMENT', fields: [field] });
  });

  it('when it begins twice, or not at all › it ends with INVALID_ARGUMENT', async () => {
    const twice = ingest(freshNamespace());
    twice.send({ $case: 'start', value: { parent: freshNamespace(), streamId: 's' } } as never);
    expect(await failureOf(twice)).toMatchObject({ code: 'INVALID_ARGUMENT', fields: ['message'] });
    const never = mneme.ingests.ingestMemories();
    never.write({ message: { $case: 'heartbeat', value: {} } });
    const [error] = (await once(never, 'error')) as [ServiceError];
    expect(refusalOf(error)).toMatchObject({ code: 'INVALID_ARGUMENT', fields: ['message'] });
  });

  it('when a number is missing or a batch is empty › the stream ends and acknowledged items stay', async () => {
    const parent = freshNamespace();
    const gap = ingest(parent);
    gap.batch(1, [{ text: 'a' }]);
    gap.batch(3, [{ text: 'c' }]);
    expect(await failureOf(gap)).toMatchObject({ code: 'INVALID_ARGUMENT', fields: ['batch.first_sequence'] });
    const empty = ingest(parent);
    empty.batch(1, []);
    expect(await failureOf(empty)).toMatchObject({ code: 'INVALID_ARGUMENT', fields: ['batch.items'] });
    const other = ingest(parent);
    other.batch(1, [{ text: 'b' }]);
    expect(await failureOf(other)).toMatchObject({ code: 'FAILED_PRECONDITION', reason: 'REQUEST_ID_REUSED' });
    expect(await stored(parent)).toEqual(['a']);
  });

  it('when the server stops › received items are acknowledged, and the stream ends with DRAINING', async () => {
    const own = await startTestServer();
    const stream = new TestIngest(own.ingests, { parent: freshNamespace(), streamId: 's' });
    stream.batch(1, texts(1, 200));
    await stream.until(() => stream.messages.length > 0);
    await own.server.stop();
    expect(await failureOf(stream)).toMatchObject({ code: 'UNAVAILABLE', reason: 'DRAINING' });
    expect([0, 200]).toContain(stream.acknowledged);
    await own.stop();
  });

  it('when a caller has the maximum number of streams › another one is refused, until one ends', async () => {
    const own = await startTestServer({ maxStreamsPerCaller: '1' });
    const first = new TestIngest(own.ingests, { parent: freshNamespace(), streamId: 's' });
    first.batch(1, texts(1, 1));
    await first.until(() => first.acknowledged === 1);
    const second = new TestIngest(own.ingests, { parent: freshNamespace(), streamId: 's' });
    expect(await failureOf(second)).toMatchObject({ code: 'RESOURCE_EXHAUSTED', reason: 'TOO_MANY_STREAMS' });
    first.stream.end();
    expect(await first.ended).toBeUndefined();
    const third = new TestIngest(own.ingests, { parent: freshNamespace(), streamId: 's' });
    third.batch(1, texts(1, 1));
    await third.until(() => third.acknowledged === 1);
    third.stream.cancel();
    await own.stop();
  });
});
