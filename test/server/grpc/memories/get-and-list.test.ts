import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MemoryView } from '../../../../gen/ts/mneme/v1/memory.ts';
import {
  BatchGetMemoriesRequest,
  GetMemoryRequest,
  ListMemoriesRequest,
  ListMemoryRevisionsRequest,
  MemoryOrder,
  UpdateMemoryRequest,
} from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { ask, refusal } from '../support/ask.ts';
import { freshNamespace, get, json, store, vector } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let mneme: TestServer;
beforeAll(async () => {
  mneme = await startTestServer();
});
afterAll(() => mneme.stop());

describe('Get', () => {
  it('when there is no such memory or namespace › NOT_FOUND names it', async () => {
    const parent = freshNamespace();
    await store(mneme, parent, { text: 'x' });

    expect(await refusal(get(mneme, `${parent}/memories/none`))).toMatchObject({
      code: 'NOT_FOUND',
      reason: 'MEMORY_NOT_FOUND',
      metadata: { name: `${parent}/memories/none` },
    });
    expect(await refusal(get(mneme, 'namespaces/none/memories/x'))).toMatchObject({
      code: 'NOT_FOUND',
      reason: 'MEMORY_NOT_FOUND',
      metadata: { name: 'namespaces/none/memories/x' },
    });
  });

  it('when a view is requested › contains only the parts of the view', async () => {
    const { name } = await store(mneme, freshNamespace(), { text: 'x', embedding: vector(1), content: json({ a: 1 }) });

    expect(await get(mneme, name, MemoryView.MEMORY_VIEW_UNSPECIFIED)).toMatchObject({
      text: 'x',
      embedding: undefined,
    });
    expect(await get(mneme, name, MemoryView.MEMORY_VIEW_METADATA)).toMatchObject({
      name,
      text: '',
      content: undefined,
      embedding: undefined,
    });
  });

  it('when touched › counts the read and leaves the version as it is', async () => {
    const { name, version } = await store(mneme, freshNamespace(), { text: 'x' });
    await get(mneme, name);
    const request = GetMemoryRequest.fromPartial({ name, touch: true });
    const { memory } = await ask(mneme.memories, mneme.memories.getMemory, request);

    expect(memory).toMatchObject({ retrievalCount: 1, version });
    expect(memory?.lastAccessTime).toBeDefined();
  });

  it('when the revision asked for is not reached › UNAVAILABLE arrives before the deadline', async () => {
    const hasty = await startTestServer({ defaultDeadlineMs: '3000', maxDeadlineMs: '3000' });
    try {
      const request = GetMemoryRequest.fromPartial({ name: 'namespaces/x/memories/x', minRevision: 7n });

      expect(await refusal(ask(hasty.memories, hasty.memories.getMemory, request))).toMatchObject({
        code: 'UNAVAILABLE',
        reason: 'REVISION_NOT_YET',
        metadata: { min_revision: '7', revision: '0' },
        retryDelayMs: 50,
      });
    } finally {
      await hasty.stop();
    }
  });

  it('when the revision asked for is reached while it waits › answers', async () => {
    const parent = freshNamespace();
    const { name, revision } = await store(mneme, parent, { text: 'x' });
    const request = GetMemoryRequest.fromPartial({ name, minRevision: revision + 1n });
    const waiting = ask(mneme.memories, mneme.memories.getMemory, request);
    await store(mneme, parent, { text: 'y' });

    expect((await waiting).revision).toBeGreaterThan(revision);
  });
});

describe('BatchGet', () => {
  it('when some are missing › returns the others in the order asked for and lists the missing', async () => {
    const parent = freshNamespace();
    for (const id of ['a', 'b']) await store(mneme, parent, { text: id }, id);
    const names = ['b', 'none', 'a'].map((id) => `${parent}/memories/${id}`);
    const answer = await ask(
      mneme.memories,
      mneme.memories.batchGetMemories,
      BatchGetMemoriesRequest.fromPartial({ parent, names }),
    );

    expect(answer.memories.map(({ text }) => text)).toEqual(['b', 'a']);
    expect(answer.missing).toEqual([`${parent}/memories/none`]);
  });

  it('when the answer would exceed the size of a message › RESOURCE_EXHAUSTED names the limit', async () => {
    const parent = freshNamespace();
    const data = Buffer.alloc(1_048_576, 7);
    for (let i = 0; i < 17; i++)
      await store(
        mneme,
        parent,
        { content: { mediaType: 'x/y', body: { $case: 'data' as const, value: data } } },
        `m${i}`,
      );
    const names = Array.from({ length: 17 }, (_, i) => `${parent}/memories/m${i}`);
    const call = ask(
      mneme.memories,
      mneme.memories.batchGetMemories,
      BatchGetMemoriesRequest.fromPartial({ parent, names }),
    );

    expect(await refusal(call)).toMatchObject({
      code: 'RESOURCE_EXHAUSTED',
      reason: 'MESSAGE_TOO_LARGE',
      metadata: { limit_bytes: '16777216' },
    });
  });
});

describe('List', () => {
  const list = (request: Parameters<typeof ListMemoriesRequest.fromPartial>[0]) =>
    ask(mneme.memories, mneme.memories.listMemories, ListMemoriesRequest.fromPartial(request));

  it('over several pages › returns each memory once, in order', async () => {
    const parent = freshNamespace();
    for (const id of ['a', 'b', 'c', 'd', 'e']) await store(mneme, parent, { text: id });
    const query = { parent, order: MemoryOrder.MEMORY_ORDER_CREATE_TIME_ASC, pageSize: 2 };
    const texts: string[][] = [];
    let pageToken = '';
    do {
      const page = await list({ ...query, pageToken });
      texts.push(page.memories.map(({ text }) => text));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');

    expect(texts.flat()).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(texts[0]).toEqual(['a', 'b']);
  });

  it('when size and view change between pages › the token is valid; when another field changes › PAGE_TOKEN_INVALID', async () => {
    const parent = freshNamespace();
    const other = freshNamespace();
    for (const id of ['a', 'b', 'c']) await store(mneme, parent, { text: id });
    await store(mneme, other, { text: 'x' });
    const { nextPageToken: pageToken } = await list({ parent, pageSize: 1 });

    const view = MemoryView.MEMORY_VIEW_METADATA;
    expect((await list({ parent, pageSize: 2, view, pageToken })).memories).toHaveLength(2);
    const foreign = [
      { parent: other, pageToken },
      { parent, order: MemoryOrder.MEMORY_ORDER_CREATE_TIME_ASC, pageToken },
      { parent, pageToken: `${pageToken.slice(0, -2)}AA` },
      { parent, pageToken: 'nonsense' },
      { parent, pageToken: `${pageToken}=` },
    ];
    for (const request of foreign) {
      expect(await refusal(list(request))).toMatchObject({
        code: 'INVALID_ARGUMENT',
        reason: 'PAGE_TOKEN_INVALID',
        fields: ['page_token'],
      });
    }
  });

  it('when the contents are large › pages end before they are too large for a message', async () => {
    const parent = freshNamespace();
    const data = Buffer.alloc(1_000_000, 7);
    for (let i = 0; i < 5; i++)
      await store(mneme, parent, { content: { mediaType: 'x/y', body: { $case: 'data' as const, value: data } } });
    const page = await list({ parent });

    expect(page.memories.length).toBeGreaterThan(0);
    expect(page.memories.length).toBeLessThan(5);
    expect(page.nextPageToken).not.toBe('');
  });

  it('when the page size is over the limit › INVALID_ARGUMENT names the limit', async () => {
    const parent = freshNamespace();
    await store(mneme, parent, { text: 'x' });

    expect(await refusal(list({ parent, pageSize: 1001 }))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      fields: ['page_size'],
      descriptions: ['must be from 1 to 1000, or 0 for 50, got 1001'],
    });
    expect((await list({ parent, pageSize: 1000 })).memories).toHaveLength(1);
  });
});

describe('ListRevisions', () => {
  it('over several pages › returns the revisions newest first', async () => {
    const { name } = await store(mneme, freshNamespace(), { text: '0' });
    for (const text of ['1', '2', '3']) {
      const request = UpdateMemoryRequest.fromPartial({ memory: { name, text }, updateMask: ['text'] });
      await ask(mneme.memories, mneme.memories.updateMemory, request);
    }
    const texts: (string | undefined)[] = [];
    let pageToken = '';
    do {
      const request = ListMemoryRevisionsRequest.fromPartial({ name, pageSize: 3, pageToken });
      const page = await ask(mneme.memories, mneme.memories.listMemoryRevisions, request);
      texts.push(...page.revisions.map(({ memory }) => memory?.text));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');

    expect(texts).toEqual(['3', '2', '1', '0']);
  });
});
