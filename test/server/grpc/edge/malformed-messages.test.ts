import { once } from 'node:events';
import { Metadata, type ServiceError } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  BatchStoreMemoriesRequest,
  ListMemoriesRequest,
  StoreMemoryRequest,
} from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { UpdateNamespaceRequest } from '../../../../gen/ts/mneme/v1/namespace_service.ts';
import { RecallRequest, WatchMemoriesRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { ask, refusal, refusalOf } from '../support/ask.ts';
import { freshNamespace, store } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let mneme: TestServer;
let parent: string;
beforeAll(async () => {
  mneme = await startTestServer();
  parent = freshNamespace();
  await store(mneme, parent, { text: 'here' });
});
afterAll(() => mneme.stop());

interface Message<T> {
  fromPartial(object: object): T;
  encode(message: T): { finish(): Uint8Array };
}

/** Bytes of the message in which each text `QQQQ` is no UTF-8. */
function broken<T>(codec: Message<T>, message: object): Buffer {
  const bytes = Buffer.from(codec.encode(codec.fromPartial({ parent, ...message })).finish());
  return Buffer.from(bytes.toString('latin1').replaceAll('QQQQ', '\xc3\x28\xff\xfe'), 'latin1');
}

function send(method: string, bytes: Buffer): Promise<Buffer> {
  const same = (message: Buffer) => message;
  return new Promise((resolve, reject) => {
    const options = { deadline: Date.now() + 60_000 };
    mneme.memories.makeUnaryRequest(
      `/mneme.v1.${method}`,
      same,
      same,
      bytes,
      new Metadata(),
      options,
      (error, answer = Buffer.alloc(0)) => (error ? reject(error) : resolve(answer)),
    );
  });
}

const comparison = (value: string) => ({
  node: {
    $case: 'comparison',
    value: { target: { $case: 'path', value: 'a' }, op: 1, values: [{ kind: { $case: 'stringValue', value } }] },
  },
});

describe('a text that is not UTF-8', () => {
  it.each<readonly [string, string, () => Buffer]>([
    ['memory.text', 'MemoryService/StoreMemory', () => broken(StoreMemoryRequest, { memory: { text: 'QQQQ' } })],
    [
      'memory.tags[1]',
      'MemoryService/StoreMemory',
      () => broken(StoreMemoryRequest, { memory: { tags: ['fine', 'QQQQ'] } }),
    ],
    [
      'requests[1].memory.source.speaker',
      'MemoryService/BatchStoreMemories',
      () => broken(BatchStoreMemoriesRequest, { requests: [{}, { memory: { source: { speaker: 'QQQQ' } } }] }),
    ],
    [
      'filter.comparison.values[0].string_value',
      'RecallService/Recall',
      () => broken(RecallRequest, { filter: comparison('QQQQ') }),
    ],
    [
      'namespace.settings',
      'NamespaceService/UpdateNamespace',
      () => broken(UpdateNamespaceRequest, { namespace: { settings: { 'a.b': 'QQQQ' } } }),
    ],
  ])('in %s › INVALID_ARGUMENT names the field, and nothing is stored', async (field, method, bytes) => {
    expect(await refusal(send(method, bytes()))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      reason: 'MESSAGE_MALFORMED',
      message: `${field}: must be valid UTF-8`,
      fields: [field],
    });
    const { memories } = await ask(
      mneme.memories,
      mneme.memories.listMemories,
      ListMemoriesRequest.fromPartial({ parent }),
    );
    expect(memories.map(({ text }) => text)).toEqual(['here']);
  });

  it('in a request of a stream › the stream ends and names the field', async () => {
    const same = (message: Buffer) => message;
    const bytes = broken(WatchMemoriesRequest, { filter: comparison('QQQQ') });
    const stream = mneme.recalls.makeServerStreamRequest('/mneme.v1.RecallService/WatchMemories', same, same, bytes);
    const [error] = (await once(
      stream.on('data', () => {}),
      'error',
    )) as [ServiceError];
    expect(refusalOf(error).fields).toEqual(['filter.comparison.values[0].string_value']);
  });
});

describe('bytes that are no message', () => {
  it('because a field ends too early › INVALID_ARGUMENT names the field', async () => {
    const whole = broken(StoreMemoryRequest, { memory: { text: 'long enough to be cut' } });
    expect(await refusal(send('MemoryService/StoreMemory', whole.subarray(0, -3)))).toMatchObject({
      reason: 'MESSAGE_MALFORMED',
      fields: ['memory'],
    });
  });

  it('because a filter is nested deeper than is read › INVALID_ARGUMENT names the filter and the limit', async () => {
    let filter: object = comparison('x');
    for (let level = 0; level < 300; level++) filter = { node: { $case: 'negate', value: filter } };
    const refused = await refusal(send('MemoryService/ListMemories', broken(ListMemoriesRequest, { filter })));
    expect(refused.reason).toBe('MESSAGE_MALFORMED');
    expect(refused.fields[0]).toMatch(/^filter\.negate\.negate\./);
    expect(refused.descriptions[0]).toContain('at most 100');
  });

  it('because they are garbage from the first on › INVALID_ARGUMENT names none', async () => {
    expect(await refusal(send('MemoryService/StoreMemory', Buffer.from('garbage')))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      reason: 'MESSAGE_MALFORMED',
      fields: [],
    });
  });
});
