import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  BatchStoreMemoriesRequest,
  ImportMemoriesRequest,
  ListMemoriesRequest,
  StoreMemoryRequest,
  UpdateMemoryRequest,
} from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { ask, type Refusal, refusal } from '../support/ask.ts';
import { freshNamespace, json, type MemoryInput, store, vector } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let mneme: TestServer;
let parent: string;
beforeAll(async () => {
  mneme = await startTestServer();
});
afterAll(() => mneme.stop());
beforeEach(async () => {
  parent = freshNamespace();
  await store(mneme, parent, { text: 'here' }, 'here');
});

const long = (bytes: number) => 'x'.repeat(bytes);
const content = (mediaType: string, data: Buffer | string) => ({
  mediaType,
  body: { $case: 'data' as const, value: Buffer.from(data) },
});
const time = (seconds: number | bigint, nanos = 0) => ({ seconds: BigInt(seconds), nanos });
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

/** Invalid memories: case, memory, field of the violation and part of its description. */
const MEMORIES: readonly (readonly [string, MemoryInput, string, string])[] = [
  ['nothing in it', {}, '', 'must have a text, a content or an embedding'],
  ['a text over the limit', { text: long(1_048_577) }, '.text', 'at most 1048576 bytes of UTF-8, got 1048577'],
  ['a text over the limit in bytes only', { text: 'é'.repeat(524_289) }, '.text', 'got 1048578'],
  ['a text with NUL', { text: 'a\0b' }, '.text', 'NUL'],
  ['a type of other signs', { text: 'x', type: 'my type' }, '.type', '1 to 64 of [A-Za-z0-9_]'],
  ['a type over the limit', { text: 'x', type: long(65) }, '.type', '1 to 64'],
  ['a negative step', { text: 'x', step: -1n }, '.step', 'from 0 to 9007199254740991, got -1'],
  ['a step over the limit', { text: 'x', step: 2n ** 53n }, '.step', 'from 0 to 9007199254740991'],
  ['a scope part over the limit', { text: 'x', scope: { agent: long(129) } }, '.scope.agent', 'at most 128 bytes'],
  ['a scope with a control character', { text: 'x', scope: { agentType: 'a\n' } }, '.scope.agent_type', 'control'],
  ['a time before its years', { text: 'x', eventTime: time(-(10n ** 11n)) }, '.event_time', 'the years 1 to 9999'],
  ['a time after its years', { text: 'x', expireTime: time(10n ** 12n) }, '.expire_time', 'the years 1 to 9999'],
  ['nanoseconds over a second', { text: 'x', validFrom: time(0, 10 ** 9) }, '.valid_from.nanos', '0 to 999999999'],
  ['negative nanoseconds', { text: 'x', validUntil: time(0, -1) }, '.valid_until.nanos', '0 to 999999999'],
  [
    'an end of validity before its begin',
    { text: 'x', validFrom: time(2), validUntil: time(2) },
    '.valid_until',
    'after',
  ],
  ['importance over 1', { text: 'x', importance: 1.01 }, '.importance', 'from 0 to 1, got 1.01'],
  ['importance that is no number', { text: 'x', importance: Number.NaN }, '.importance', 'from 0 to 1, got NaN'],
  ['negative priority', { text: 'x', priority: -0.1 }, '.priority', 'from 0 to 1'],
  ['too many tags', { text: 'x', tags: Array.from({ length: 65 }, (_, i) => `t${i}`) }, '.tags', 'at most 64, got 65'],
  ['an empty tag', { text: 'x', tags: ['a', ''] }, '.tags[1]', '1 to 128 bytes'],
  ['a tag over the limit', { text: 'x', tags: [long(129)] }, '.tags[0]', 'at most 128 bytes'],
  ['a speaker over the limit', { text: 'x', source: { speaker: long(129) } }, '.source.speaker', 'at most 128 bytes'],
  ['a source over the limit', { text: 'x', source: { uri: long(1025) } }, '.source.uri', 'at most 1024 bytes'],
  ['a content over the limit', { content: content('x/y', Buffer.alloc(1_048_577)) }, '.content.data', '1048576 bytes'],
  ['a media type without a slash', { content: content('text', '') }, '.content.media_type', 'one slash'],
  ['a media type of two slashes', { content: content('a/b/c', '') }, '.content.media_type', 'one slash'],
  ['no media type', { content: content('', 'x') }, '.content.media_type', 'got an empty text'],
  ['a media type over the limit', { content: content(`a/${long(127)}`, '') }, '.content.media_type', '3 to 128'],
  ['JSON that is none', { content: content('application/json', '{"a":') }, '.content.data', 'valid JSON'],
  ['JSON that is empty', { content: content('application/json', '') }, '.content.data', 'valid JSON'],
  [
    'JSON that is not UTF-8',
    { content: content('Application/JSON; x=y', Buffer.from([0x22, 0xff, 0x22])) },
    '.content.data',
    'valid UTF-8',
  ],
  [
    'JSON that is too deep',
    { content: content('application/json', nested(65)) },
    '.content.data',
    '64 levels deep, got 65',
  ],
  [
    'JSON that is far too deep',
    { content: content('application/json', nested(400_000)) },
    '.content.data',
    '64 levels deep',
  ],
  [
    'a text content that is not UTF-8',
    { content: content('text/plain', Buffer.from([0xc3, 0x28])) },
    '.content.data',
    'valid UTF-8',
  ],
  [
    'a vector of another size than it says',
    { embedding: { ...vector(1, 2), dimension: 3 } },
    '.embedding.data_f32le',
    '12 bytes, 4 for each of 3 values, got 8',
  ],
  [
    'a vector of odd bytes',
    { embedding: { ...vector(1), dataF32le: Buffer.alloc(5) } },
    '.embedding.data_f32le',
    'got 5',
  ],
  ['a vector without values', { embedding: vector() }, '.embedding.dimension', 'from 1 to 4096, got 0'],
  ['a vector of too many values', { embedding: vector(...Array(4097).fill(1)) }, '.embedding.dimension', 'got 4097'],
  ['a vector with NaN', { embedding: vector(1, Number.NaN) }, '.embedding.data_f32le', 'finite values, got NaN at 1'],
  ['a vector with infinity', { embedding: vector(-Infinity) }, '.embedding.data_f32le', 'finite values'],
  ['a vector of zeros', { embedding: vector(0, -0) }, '.embedding.data_f32le', 'not be all zeros'],
  ['a vector without model', { embedding: { ...vector(1), model: '' } }, '.embedding.model', '1 to 128 bytes'],
  [
    'a model over the limit',
    { embedding: { ...vector(1), model: long(129) } },
    '.embedding.model',
    'at most 128 bytes',
  ],
  ['a point that is nowhere', { text: 'x', place: { point: { x: 0, y: Infinity } } }, '.place.point.y', 'finite'],
  [
    'a latitude beyond the pole',
    { text: 'x', place: { geo: { latitudeDeg: 90.1, longitudeDeg: 0 } } },
    '.place.geo.latitude_deg',
    'from -90 to 90',
  ],
  [
    'a longitude beyond the date line',
    { text: 'x', place: { geo: { latitudeDeg: 0, longitudeDeg: -181 } } },
    '.place.geo.longitude_deg',
    'from -180 to 180',
  ],
  ['a room over the limit', { text: 'x', place: { room: long(129) } }, '.place.room', 'at most 128 bytes'],
  ['a successor that is no name', { text: 'x', supersededBy: 'other' }, '.superseded_by', 'resource name of a memory'],
  [
    'a successor elsewhere',
    { text: 'x', supersededBy: 'namespaces/other/memories/x' },
    '.superseded_by',
    'resource name',
  ],
];

/** Only the former memories exist. */
async function expectNothingStored(): Promise<void> {
  const { memories } = await ask(
    mneme.memories,
    mneme.memories.listMemories,
    ListMemoriesRequest.fromPartial({ parent }),
  );
  expect(memories.map(({ text }) => text)).toEqual(['here']);
}

function expectFault(refused: Refusal, field: string, part: string): void {
  expect(refused).toMatchObject({ code: 'INVALID_ARGUMENT', reason: 'FIELD_INVALID', fields: [field] });
  expect(refused.descriptions[0]).toContain(part);
}

describe('Store', () => {
  it.each(MEMORIES)(
    'when the memory has %s › INVALID_ARGUMENT names the field and the limit',
    async (_, memory, field, part) => {
      expectFault(await refusal(store(mneme, parent, memory)), `memory${field}`, part);
      await expectNothingStored();
    },
  );

  it.each([
    ['a parent of another kind', { parent: 'tenants/x' }, 'parent'],
    ['a parent with a capital', { parent: 'namespaces/X' }, 'parent'],
    ['a parent over the limit', { parent: `namespaces/${long(64)}` }, 'parent'],
    ['an id over the limit', { memoryId: long(129) }, 'memory_id'],
    ['an id with a slash', { memoryId: 'a/b' }, 'memory_id'],
    ['an id with a line break', { memoryId: 'a\n' }, 'memory_id'],
    ['no memory', { memory: undefined }, 'memory'],
    ['a request id over the limit', { requestId: long(129) }, 'request_id'],
    ['a request id that is not ASCII', { requestId: 'é' }, 'request_id'],
  ])('when the request has %s › INVALID_ARGUMENT names the field', async (_, part, field) => {
    const request = StoreMemoryRequest.fromPartial({ parent, memory: { text: 'x' }, ...part });
    const refused = await refusal(ask(mneme.memories, mneme.memories.storeMemory, request));

    expect(refused).toMatchObject({ code: 'INVALID_ARGUMENT', reason: 'FIELD_INVALID' });
    expect(refused.fields[0]).toBe(field);
    await expectNothingStored();
  });

  it('when several fields are invalid › reports all of them', async () => {
    const refused = await refusal(store(mneme, parent, { text: 'a\0', step: -1n, importance: 2, tags: [''] }));

    expect(refused.fields).toEqual(['memory.text', 'memory.tags[0]', 'memory.importance', 'memory.step']);
  });
});

describe('BatchStore', () => {
  it('when one memory is wrong › names the item and stores none', async () => {
    for (const [, memory, field, part] of MEMORIES.filter(([what]) => !what.includes('content over'))) {
      const requests = [{ memory: { text: 'well' } }, { memory }];
      const call = ask(
        mneme.memories,
        mneme.memories.batchStoreMemories,
        BatchStoreMemoriesRequest.fromPartial({ parent, requests }),
      );
      expectFault(await refusal(call), `requests[1].memory${field}`, part);
    }
    await expectNothingStored();
  });

  it.each([
    ['no memories', [], 'requests'],
    ['too many memories', Array.from({ length: 1001 }, () => ({ memory: { text: 'x' } })), 'requests'],
    ['an item of another namespace', [{ parent: 'namespaces/other', memory: { text: 'x' } }], 'requests[0].parent'],
    ['an item with a request id', [{ requestId: 'x', memory: { text: 'x' } }], 'requests[0].request_id'],
    ['an item without memory', [{}], 'requests[0].memory'],
    ['one id twice', ['x', 'x'].map((memoryId) => ({ memoryId, memory: { text: 'x' } })), 'requests[1].memory_id'],
  ])('when there are %s › INVALID_ARGUMENT names the field', async (_, requests, field) => {
    const call = ask(
      mneme.memories,
      mneme.memories.batchStoreMemories,
      BatchStoreMemoriesRequest.fromPartial({ parent, requests }),
    );
    const refused = await refusal(call);

    expect(refused).toMatchObject({ code: 'INVALID_ARGUMENT', reason: 'FIELD_INVALID' });
    expect(refused.fields[0]).toBe(field);
    await expectNothingStored();
  });
});

describe('Update', () => {
  const MASKS: Record<string, string> = { importance: 'importance', tags: 'tags', step: 'step', text: 'text' };

  it.each(MEMORIES.filter(([, , field]) => field.slice(1) in MASKS))(
    'when the field named has %s › INVALID_ARGUMENT and nothing changes',
    async (_, memory, field, part) => {
      const updateMask = [field.slice(1)];
      const request = UpdateMemoryRequest.fromPartial({
        memory: { ...memory, name: `${parent}/memories/here` },
        updateMask,
      });
      expectFault(await refusal(ask(mneme.memories, mneme.memories.updateMemory, request)), `memory${field}`, part);
      await expectNothingStored();
    },
  );

  it.each([
    ['no mask', [], 'update_mask'],
    ['a field that cannot be changed', ['create_time'], 'update_mask.paths[0]'],
    ['a field that there is not', ['text', '__proto__'], 'update_mask.paths[1]'],
    ['too many fields', Array(33).fill('text'), 'update_mask'],
  ])('when there is %s › INVALID_ARGUMENT names the field', async (_, updateMask, field) => {
    const request = UpdateMemoryRequest.fromPartial({
      memory: { name: `${parent}/memories/here`, text: 'x' },
      updateMask,
    });
    const refused = await refusal(ask(mneme.memories, mneme.memories.updateMemory, request));

    expect(refused).toMatchObject({ code: 'INVALID_ARGUMENT', reason: 'FIELD_INVALID' });
    expect(refused.fields[0]).toBe(field);
    await expectNothingStored();
  });
});

describe('Import', () => {
  it('when one memory is invalid › ends with the item named and stores nothing of its message', async () => {
    const stream = mneme.memories.importMemories();
    const ended = refusal(new Promise((resolve, reject) => stream.on('error', reject).on('end', resolve).resume()));
    const memories = [{ text: 'well' }, { content: json(1), importance: 7 }];
    stream.write(ImportMemoriesRequest.fromPartial({ parent, memories }));

    expect(await ended).toMatchObject({ reason: 'FIELD_INVALID', fields: ['memories[1].importance'] });
    await expectNothingStored();
  });
});
