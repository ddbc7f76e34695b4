import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect, type Mneme, MnemeError } from '../../../../clients/typescript/src/index.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;
let mneme: Mneme;
beforeAll(async () => {
  server = await startTestServer({ embedder: 'none' });
  mneme = connect(server.address, { namespace: 'absent' });
});
afterAll(async () => {
  await mneme.close();
  await server.stop();
});

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const reasonOf = (call: Promise<unknown>) =>
  call.then(
    () => 'none',
    (error: unknown) => (error instanceof MnemeError ? error.reason : error),
  );

describe('A8 a namespace that does not exist reads as an empty one', () => {
  it('recall, by text, vector and stream › no hits', async () => {
    expect((await mneme.recall('hi')).hits).toEqual([]);
    expect((await mneme.recall({ text: '', embedding: { values: [1, 0], model: 'm' } })).hits).toEqual([]);
  });

  it('lists, counts and exports › empty', async () => {
    expect(await all(mneme.list())).toEqual([]);
    expect((await mneme.count()).count).toBe(0);
    expect(await all(mneme.exportMemories())).toEqual([]);
    expect(await all(mneme.facts.list())).toEqual([]);
    expect(await all(mneme.conversations.list('c'))).toEqual([]);
    expect((await mneme.namespaces.getStatistics('absent')).memoryCount).toBe(0);
  });

  it('one memory › NOT_FOUND of the memory', async () => {
    expect(await reasonOf(mneme.get('a'))).toBe('MEMORY_NOT_FOUND');
    expect(await reasonOf(mneme.facts.get('a'))).toBe('MEMORY_NOT_FOUND');
  });

  it('several memories › all are missing', async () => {
    expect(await mneme.batchGet(['a', 'b'])).toMatchObject({ missingIds: ['a', 'b'] });
  });

  it('the namespace itself › NAMESPACE_NOT_FOUND: no read has created it', async () => {
    expect(await reasonOf(mneme.namespaces.get())).toBe('NAMESPACE_NOT_FOUND');
  });

  it('what changes a namespace › NAMESPACE_NOT_FOUND', async () => {
    expect(await reasonOf(mneme.forget({ all: true }))).toBe('NAMESPACE_NOT_FOUND');
  });

  it('a watch of extraction › an empty status, and the first message of the namespace', async () => {
    const other = connect(server.address, { namespace: 'extracted-later' });
    const statuses = other.conversations.watchExtraction({ intervalMs: 100 });
    expect((await statuses.next()).value).toMatchObject({ conversations: [], pendingCount: 0 });
    await other.conversations.append('c', [{ role: 'user', text: 'I live in Bern.' }]);
    await other.conversations.flush({ conversation: 'c' });
    // An idle conversation is in no list of a namespace, so that only the revision certainly says that it was read.
    for await (const { extractedRevision } of statuses) if (extractedRevision > 0) break;
    await other.close();
  });

  it('a watch of sessions › the first event of the namespace', async () => {
    const other = connect(server.address, { namespace: 'spawned-later' });
    const stream = other.lifecycle.watchEvents({ start: 'oldest' });
    const first = stream.next();
    await other.lifecycle.spawn({ sessionId: 's' });
    expect((await first).value?.session).toMatchObject({ id: 's' });
    await stream.return();
    await other.close();
  });
});
