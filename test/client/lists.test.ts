import { status } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { ListMemoriesRequest, ListMemoryRevisionsRequest } from '../../gen/ts/mneme/v1/memory_service.ts';
import {
  type ListNamespacesRequest,
  type ListScopesRequest,
  Namespace,
  ScopeCount,
} from '../../gen/ts/mneme/v1/namespace_service.ts';
import { cleanUp, serve } from './support/clean-up.ts';
import { collect } from './support/collect.ts';
import { bareMemoryMessage } from './support/proto-memory.ts';
import { statusError, unary } from './support/start-service.ts';

afterEach(cleanUp);

/** Three pages: two memories, none, and one. */
const PAGES: Readonly<Record<string, { ids: string[]; next: string }>> = {
  '': { ids: ['m1', 'm2'], next: 'p2' },
  p2: { ids: [], next: 'p3' },
  p3: { ids: ['m3'], next: '' },
};

async function pagedServer() {
  const requests: ListMemoriesRequest[] = [];
  let revision = 10n;
  const list = unary<ListMemoriesRequest, object>((request) => {
    requests.push(request);
    const page = PAGES[request.pageToken];
    if (page === undefined) throw statusError(status.INVALID_ARGUMENT, 'foreign', { reason: 'PAGE_TOKEN_INVALID' });
    revision += 1n;
    return { memories: page.ids.map(bareMemoryMessage), damaged: [], nextPageToken: page.next, revision };
  });
  const { mneme } = await serve({ memory: { listMemories: list } });
  return { mneme, requests };
}

describe('client lists › reading on', () => {
  it('all memories › come page by page, over empty pages, each once', async () => {
    const { mneme, requests } = await pagedServer();

    const memories = await collect(mneme.list({ order: 'event_time_asc', view: 'metadata' }));

    expect(memories.map(({ id }) => id)).toEqual(['m1', 'm2', 'm3']);
    expect(requests.map(({ pageToken }) => pageToken)).toEqual(['', 'p2', 'p3']);
    expect(requests[0]).toMatchObject({ parent: 'namespaces/default', order: 4, view: 3, pageSize: 200 });
  });

  it('when the reader stops early › later pages are not asked for', async () => {
    const { mneme, requests } = await pagedServer();

    for await (const { id } of mneme.list()) if (id === 'm2') break;

    expect(requests).toHaveLength(1);
  });

  it('all pages of one list › request the same revision, whatever the client sees in the meantime', async () => {
    const { mneme, requests } = await pagedServer();
    await mneme.listPage();

    await collect(mneme.list());

    expect(requests.map(({ minRevision }) => minRevision)).toEqual([0n, 11n, 11n, 11n]);
  });
});

describe('client lists › page by page', () => {
  it('a token › leads to the next page at the revision of the first', async () => {
    const { mneme, requests } = await pagedServer();

    const first = await mneme.listPage({ pageSize: 2 }, { minRevision: 5 });
    const second = await mneme.listPage({ pageSize: 2, pageToken: first.nextPageToken });
    const third = await mneme.listPage({ pageSize: 2, pageToken: second.nextPageToken });

    expect(first.memories.map(({ id }) => id)).toEqual(['m1', 'm2']);
    expect(third).toMatchObject({ nextPageToken: '', revision: 13 });
    expect(requests.map(({ pageToken, minRevision }) => [pageToken, minRevision])).toEqual([
      ['', 5n],
      ['p2', 5n],
      ['p3', 5n],
    ]);
  });

  it('a token of another list › is refused by the server', async () => {
    const { mneme } = await pagedServer();

    await expect(mneme.listPage({ pageToken: 'made up' })).rejects.toMatchObject({ reason: 'PAGE_TOKEN_INVALID' });
  });
});

describe('client lists › other lists', () => {
  it('revisions, namespaces and scopes › come from all pages', async () => {
    const paged = <Request extends { pageToken: string }>(answers: object[]) =>
      unary<Request, object>(({ pageToken }) => answers[Number(pageToken)] ?? {});
    const revision = { memory: bareMemoryMessage('m1') };
    const namespace = (id: string) => Namespace.fromPartial({ name: `namespaces/${id}` });
    const { mneme } = await serve({
      memory: {
        listMemoryRevisions: paged<ListMemoryRevisionsRequest>([
          { revisions: [{ ...revision, change: 2 }], nextPageToken: '1', damagedCount: 0 },
          { revisions: [{ ...revision, change: 1 }], nextPageToken: '', damagedCount: 0 },
        ]),
      },
      namespaces: {
        listNamespaces: paged<ListNamespacesRequest>([
          { namespaces: [namespace('a')], nextPageToken: '1' },
          { namespaces: [namespace('b')], nextPageToken: '' },
        ]),
        listScopes: paged<ListScopesRequest>([
          { scopes: [ScopeCount.fromPartial({ scope: { session: 's1' }, memoryCount: 2 })], nextPageToken: '1' },
          { scopes: [ScopeCount.fromPartial({ scope: {}, memoryCount: 1 })], nextPageToken: '' },
        ]),
      },
    });

    const revisions = await collect(mneme.listRevisions('m1'));
    const namespaces = await collect(mneme.namespaces.list());
    const scopes = await collect(mneme.namespaces.listScopes());

    expect(revisions.map(({ change }) => change)).toEqual(['updated', 'stored']);
    expect(namespaces.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(scopes).toEqual([
      { scope: { session: 's1' }, memoryCount: 2 },
      { scope: {}, memoryCount: 1 },
    ]);
  });
});
