import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  CreateNamespaceRequest,
  DeleteNamespaceRequest,
  GetNamespaceRequest,
  GetNamespaceStatisticsRequest,
  ListNamespacesRequest,
  ListScopesRequest,
  UpdateNamespaceRequest,
} from '../../../../gen/ts/mneme/v1/namespace_service.ts';
import { ask, refusal } from '../support/ask.ts';
import { freshNamespace, get, store, vector } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let mneme: TestServer;
beforeAll(async () => {
  mneme = await startTestServer();
});
afterAll(() => mneme.stop());

type NamespaceInput = Parameters<typeof CreateNamespaceRequest.fromPartial>[0]['namespace'];

const create = (namespace: NamespaceInput, requestId = '') =>
  ask(mneme.namespaces, mneme.namespaces.createNamespace, CreateNamespaceRequest.fromPartial({ namespace, requestId }));
const read = (name: string) =>
  ask(mneme.namespaces, mneme.namespaces.getNamespace, GetNamespaceRequest.fromPartial({ name }));
const update = (namespace: NamespaceInput, ...updateMask: string[]) =>
  ask(
    mneme.namespaces,
    mneme.namespaces.updateNamespace,
    UpdateNamespaceRequest.fromPartial({ namespace, updateMask }),
  );
const erase = (name: string, force = false, requestId = '') =>
  ask(
    mneme.namespaces,
    mneme.namespaces.deleteNamespace,
    DeleteNamespaceRequest.fromPartial({ name, force, requestId }),
  );

describe('CreateNamespace', () => {
  it('when it is new › makes it as asked for', async () => {
    const name = freshNamespace();
    const { namespace } = await create({ name, description: 'for tests', memoryLimit: 7 });

    expect(namespace).toMatchObject({ name, description: 'for tests', memoryLimit: 7, embeddingModel: '' });
    expect((await read(name)).namespace).toEqual(namespace);
  });

  it('when it is there › ALREADY_EXISTS names it', async () => {
    const name = freshNamespace();
    await create({ name });

    expect(await refusal(create({ name }))).toMatchObject({
      code: 'ALREADY_EXISTS',
      reason: 'NAMESPACE_EXISTS',
      metadata: { name },
    });
  });

  it('when repeated with the same request id › answers the same', async () => {
    const name = freshNamespace();
    const requestId = randomUUID();
    const first = await create({ name, description: 'x' }, requestId);

    expect(await create({ name, description: 'x' }, requestId)).toEqual(first);
    expect(await refusal(create({ name, description: 'y' }, requestId))).toMatchObject({ reason: 'REQUEST_ID_REUSED' });
  });

  it.each<readonly [string, NamespaceInput, string]>([
    ['no namespace', undefined, 'namespace.name'],
    ['a malformed name', { name: 'namespaces/.x' }, 'namespace.name'],
    ['a description over the limit', { name: 'namespaces/x', description: 'é'.repeat(513) }, 'namespace.description'],
    ['a negative limit', { name: 'namespaces/x', memoryLimit: -1 }, 'namespace.memory_limit'],
  ])('when there is %s › FIELD_INVALID', async (_, namespace, field) => {
    expect(await refusal(create(namespace))).toMatchObject({ reason: 'FIELD_INVALID', fields: [field] });
  });
});

describe('a namespace', () => {
  it('when its limit is reached › Store answers RESOURCE_EXHAUSTED', async () => {
    const name = freshNamespace();
    await create({ name, memoryLimit: 1 });
    await store(mneme, name, { text: 'one' });

    expect(await refusal(store(mneme, name, { text: 'two' }))).toMatchObject({
      code: 'RESOURCE_EXHAUSTED',
      reason: 'NAMESPACE_FULL',
      metadata: { name, limit: '1' },
    });
  });

  it('when its first vector is stored › it has its model and dimension', async () => {
    const name = freshNamespace();
    await store(mneme, name, { embedding: vector(1, 2, 3) });

    expect((await read(name)).namespace).toMatchObject({ embeddingModel: 'm', embeddingDimension: 3 });
  });

  it('when it is not made on first use › Store answers NOT_FOUND', async () => {
    const strict = await startTestServer({ autoCreateNamespaces: 'false' });
    try {
      expect(await refusal(store(strict, 'namespaces/x', { text: 'x' }))).toMatchObject({
        code: 'NOT_FOUND',
        reason: 'NAMESPACE_NOT_FOUND',
      });
    } finally {
      await strict.stop();
    }
  });
});

describe('UpdateNamespace', () => {
  it('when fields are named › changes only these', async () => {
    const name = freshNamespace();
    await create({ name, description: 'before', memoryLimit: 5 });
    await update({ name, description: 'after', memoryLimit: 9 }, 'description');

    expect((await read(name)).namespace).toMatchObject({ description: 'after', memoryLimit: 5 });
  });

  it('when the version is another one › ABORTED', async () => {
    const name = freshNamespace();
    await create({ name });

    const late = UpdateNamespaceRequest.fromPartial({
      namespace: { name, memoryLimit: 3 },
      updateMask: ['memory_limit'],
      ifVersion: 0n,
    });
    expect(await refusal(ask(mneme.namespaces, mneme.namespaces.updateNamespace, late))).toMatchObject({
      code: 'ABORTED',
      reason: 'VERSION_MISMATCH',
    });
  });

  it('when the mask is empty or names an unknown field › FIELD_INVALID', async () => {
    const name = freshNamespace();
    await create({ name });

    expect(await refusal(update({ name }))).toMatchObject({ fields: ['update_mask'] });
    expect(await refusal(update({ name }, 'name'))).toMatchObject({ fields: ['update_mask.paths[0]'] });
  });

  it('when there is none › NOT_FOUND', async () => {
    expect(await refusal(update({ name: 'namespaces/none' }, 'description'))).toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('DeleteNamespace', () => {
  it('when it has memories › FAILED_PRECONDITION, and with force it is deleted with them', async () => {
    const name = freshNamespace();
    const { name: memory } = await store(mneme, name, { text: 'x' });

    expect(await refusal(erase(name))).toMatchObject({
      code: 'FAILED_PRECONDITION',
      reason: 'NAMESPACE_NOT_EMPTY',
      metadata: { name, memories: '1' },
    });
    expect(await erase(name, true)).toMatchObject({ forgottenCount: 1 });
    expect(await refusal(get(mneme, memory))).toMatchObject({ reason: 'MEMORY_NOT_FOUND' });
  });

  it('when there is none › NOT_FOUND', async () => {
    expect(await refusal(erase('namespaces/none'))).toMatchObject({ code: 'NOT_FOUND', reason: 'NAMESPACE_NOT_FOUND' });
  });

  it('when repeated with the same request id › answers the same', async () => {
    const name = freshNamespace();
    await store(mneme, name, { text: 'x' });
    const requestId = randomUUID();
    const first = await erase(name, true, requestId);

    expect(await erase(name, true, requestId)).toEqual(first);
  });
});

describe('ListNamespaces', () => {
  it('over several pages › returns each once, by name', async () => {
    const names = Array.from({ length: 5 }, freshNamespace).sort();
    for (const name of names) await create({ name });
    const seen: string[] = [];
    let pageToken = '';
    do {
      const request = ListNamespacesRequest.fromPartial({ pageSize: 2, pageToken });
      const page = await ask(mneme.namespaces, mneme.namespaces.listNamespaces, request);
      seen.push(...page.namespaces.map(({ name }) => name));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');

    expect(seen).toEqual([...seen].sort());
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(expect.arrayContaining(names));
  });
});

describe('ListScopes', () => {
  const list = (parent: string, pageToken = '') =>
    ask(
      mneme.namespaces,
      mneme.namespaces.listScopes,
      ListScopesRequest.fromPartial({ parent, pageSize: 2, pageToken }),
    );

  it('over several pages › counts the memories of each scope', async () => {
    const parent = freshNamespace();
    for (const agent of ['a', 'b', 'b', 'c']) await store(mneme, parent, { text: 'x', scope: { agent } });
    const first = await list(parent);
    const second = await list(parent, first.nextPageToken);
    const counts = [...first.scopes, ...second.scopes].map(({ scope, memoryCount }) => [scope?.agent, memoryCount]);

    expect(counts).toEqual([
      ['a', 1],
      ['b', 2],
      ['c', 1],
    ]);
    expect(second.nextPageToken).toBe('');
    expect(await refusal(list(freshNamespace(), first.nextPageToken))).toMatchObject({ reason: 'PAGE_TOKEN_INVALID' });
  });
});

describe('GetNamespaceStatistics', () => {
  it('when there are memories › counts them', async () => {
    const parent = freshNamespace();
    await store(mneme, parent, { embedding: vector(1), type: 'state', importance: 0 });
    await store(mneme, parent, { text: 'abc', type: 'fact', importance: 1 });
    const request = GetNamespaceStatisticsRequest.fromPartial({ name: parent });
    const { statistics } = await ask(mneme.namespaces, mneme.namespaces.getNamespaceStatistics, request);

    expect(statistics).toMatchObject({ memoryCount: 2, embeddedCount: 1, importanceMean: 0.5, contentBytes: 3 });
    expect(statistics?.types).toHaveLength(2);
  });

  it('when there is no such namespace › it counts nothing', async () => {
    const request = GetNamespaceStatisticsRequest.fromPartial({ name: 'namespaces/none' });
    const call = ask(mneme.namespaces, mneme.namespaces.getNamespaceStatistics, request);

    expect(await call).toMatchObject({ statistics: { memoryCount: 0 } });
  });
});
