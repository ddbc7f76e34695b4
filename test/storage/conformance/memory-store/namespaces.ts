import { expect, it } from '@jest/globals';
import { newMemory } from '../../../support/new-memory.ts';
import { because, idsOf, NOW_US, put, SPACE, type StoreOfTest } from './store-of-test.ts';

const scope = (project: string, agent = '', session = '') => ({ project, agentType: '', agent, session });

export function namespaces(store: StoreOfTest): void {
  const create = (name: string) =>
    store().write({ kind: 'createNamespace', name, description: `of ${name}`, memoryLimit: 0, atUs: NOW_US });
  const drop = (name: string, force: boolean) => store().write({ kind: 'deleteNamespace', name, force, atUs: NOW_US });

  it('createNamespace › new › returned as created; a second of the name is refused', async () => {
    const { revision, namespace } = await create('one');
    expect(namespace).toEqual({
      name: 'one',
      description: 'of one',
      createdAtUs: NOW_US,
      updatedAtUs: NOW_US,
      embeddingModel: '',
      embeddingDimension: 0,
      memoryLimit: 0,
      settings: {},
      revision,
    });
    expect(await store().getNamespace('one')).toEqual(namespace);
    await expect(create('one')).rejects.toMatchObject(because('NAMESPACE_EXISTS'));
  });

  it('updateNamespace › some fields, expected revision › changed, or refused', async () => {
    const { revision } = await create('one');
    const write = { name: 'one', expectedRevision: revision, memoryLimit: 5, atUs: NOW_US + 1 };
    const { namespace } = await store().write({ kind: 'updateNamespace', ...write });
    expect(namespace).toMatchObject({
      description: 'of one',
      memoryLimit: 5,
      updatedAtUs: NOW_US + 1,
      createdAtUs: NOW_US,
    });
    expect(namespace.revision).toBeGreaterThan(revision);
    await expect(store().write({ kind: 'updateNamespace', ...write })).rejects.toMatchObject(
      because('VERSION_MISMATCH'),
    );
    const unknown = store().write({ kind: 'updateNamespace', name: 'x', atUs: 1 });
    await expect(unknown).rejects.toMatchObject(because('NAMESPACE_NOT_FOUND'));
  });

  it('updateNamespace › settings › set and removed by key, the others stay, and are deleted with the namespace', async () => {
    await store().write({
      kind: 'createNamespace',
      name: 'one',
      description: '',
      memoryLimit: 0,
      settings: [
        ['short_term.ttl', '2h'],
        ['long_term.vector', 'i8'],
      ],
      atUs: NOW_US,
    });
    const { namespace } = await store().write({
      kind: 'updateNamespace',
      name: 'one',
      settings: [
        ['short_term.ttl', null],
        ['short_term.memory_limit', '5'],
      ],
      atUs: NOW_US,
    });
    expect(namespace.settings).toEqual({ 'long_term.vector': 'i8', 'short_term.memory_limit': '5' });
    expect(await store().getNamespace('one')).toEqual(namespace);
    expect(await store().listNamespaces({ limit: 9 })).toEqual([namespace]);
    await drop('one', true);
    expect((await create('one')).namespace.settings).toEqual({});
  });

  it('deleteNamespace › with memories › refused unless forced, then all data is deleted', async () => {
    await put(store(), [newMemory({ id: 'a' }), newMemory({ id: 'b', tier: 'long_term', embeddingPending: true })]);
    await expect(drop(SPACE, false)).rejects.toMatchObject({
      ...because('NAMESPACE_NOT_EMPTY'),
      metadata: { memories: '2' },
    });
    const outcome = await drop(SPACE, true);
    expect(new Map(outcome.tiers)).toEqual(
      new Map([
        ['short_term', 1],
        ['long_term', 1],
      ]),
    );
    await expect(store().getNamespace(SPACE)).rejects.toMatchObject(because('NAMESPACE_NOT_FOUND'));
    expect(await store().statistics()).toMatchObject({ namespaceCount: 0, memoryCount: 0 });
    expect(await store().pendingEmbeddings({ limit: 9, nowUs: NOW_US })).toEqual([]);
    await expect(drop(SPACE, true)).rejects.toMatchObject(because('NAMESPACE_NOT_FOUND'));
  });

  it('deleteNamespace › created again under the name › empty, without a model', async () => {
    await put(
      store(),
      [newMemory({ id: 'a', expiresAtUs: 5, embedding: { model: 'm', values: Float32Array.of(1) } })],
      { atUs: 1 },
    );
    await drop(SPACE, false);
    expect(await store().expired({ limit: 9, nowUs: NOW_US })).toEqual([]);
    await put(store(), [newMemory({ id: 'a', embedding: { model: 'n', values: Float32Array.of(1, 2) } })]);
    expect(await idsOf(store())).toEqual(['a']);
    expect(await store().getNamespace(SPACE)).toMatchObject({ embeddingModel: 'n', embeddingDimension: 2 });
  });

  it('listNamespaces › by name, in pages', async () => {
    for (const name of ['b', 'a.1', 'a', 'c']) await create(name);
    const page = async (limit: number, afterName?: string) =>
      (await store().listNamespaces({ limit, ...(afterName && { afterName }) })).map(({ name }) => name);
    expect(await page(3)).toEqual(['a', 'a.1', 'b']);
    expect(await page(3, 'b')).toEqual(['c']);
    expect(await page(3, 'c')).toEqual([]);
  });

  it('listScopes › by their parts, with their numbers, in pages', async () => {
    const scopes = [scope('p', 'b'), scope('p', 'a'), scope(''), scope('p', 'b'), scope('p', 'a', 's')];
    await put(
      store(),
      scopes.map((of, at) => newMemory({ id: `m${at}`, scope: of })),
    );
    const all = await store().listScopes({ namespace: SPACE, limit: 9 });
    expect(all).toEqual([
      { scope: scope(''), count: 1 },
      { scope: scope('p', 'a'), count: 1 },
      { scope: scope('p', 'a', 's'), count: 1 },
      { scope: scope('p', 'b'), count: 2 },
    ]);
    expect(await store().listScopes({ namespace: SPACE, limit: 1, after: scope('p', 'a') })).toEqual([all[2]]);
    await expect(store().listScopes({ namespace: 'x', limit: 1 })).rejects.toMatchObject(
      because('NAMESPACE_NOT_FOUND'),
    );
  });

  it('statistics › of one namespace and of all', async () => {
    const content = { mediaType: 'image/png', data: new Uint8Array(10) };
    await put(store(), [
      newMemory({ id: 'a', text: 'é', type: 'fact', importance: 1, content, retrievalCount: 2 }),
      newMemory({
        id: 'b',
        text: '',
        type: 'state',
        importance: 0,
        embedding: { model: 'm', values: Float32Array.of(1) },
      }),
      newMemory({
        id: 'c',
        text: 'x',
        type: 'fact',
        importance: 0.5,
        embeddingPending: true,
        retrievalCount: 1,
        tier: 'long_term',
      }),
    ]);
    await put(store(), [newMemory({ id: 'a', text: 'xyz' })], { namespace: 'other' });
    expect(await store().statistics(SPACE)).toMatchObject({
      namespaceCount: 1,
      memoryCount: 3,
      contentBytes: 13,
      embeddedCount: 1,
      embeddingPendingCount: 1,
      importanceMean: 0.5,
      retrievalCount: 3,
      types: [
        { type: 'fact', count: 2 },
        { type: 'state', count: 1 },
      ],
      tiers: [
        { tier: 'short_term', count: 2, contentBytes: 12 },
        { tier: 'long_term', count: 1, contentBytes: 1 },
      ],
    });
    expect(await store().statistics()).toMatchObject({ namespaceCount: 2, memoryCount: 4, contentBytes: 16 });
    await expect(store().statistics('x')).rejects.toMatchObject(because('NAMESPACE_NOT_FOUND'));
  });

  it('statistics › accesses › the most and least recalled memories, of one namespace and of all', async () => {
    await put(store(), [newMemory({ id: 'a', createdAtUs: 1 }), newMemory({ id: 'b', createdAtUs: 2 })]);
    for (const ids of [['b'], ['b']]) await store().write({ kind: 'touch', namespace: SPACE, ids, atUs: NOW_US + 5 });
    const access = { namespace: SPACE, id: 'b', retrievalCount: 2, lastAccessedAtUs: NOW_US + 5 };
    const least = { namespace: SPACE, id: 'a', retrievalCount: 0 };
    for (const { mostAccessed, leastAccessed } of [await store().statistics(), await store().statistics(SPACE)]) {
      if (mostAccessed) expect([mostAccessed, leastAccessed]).toEqual([[access], [least, access]]);
    }
  });

  it('statistics › empty store › zeros', async () => {
    expect(await store().statistics()).toMatchObject({
      namespaceCount: 0,
      memoryCount: 0,
      importanceMean: 0,
      types: [],
      tiers: [],
    });
  });

  it('close › twice › writes are refused as DRAINING', async () => {
    await create('one');
    await store().close();
    await store().close();
    await expect(create('two')).rejects.toMatchObject(because('DRAINING'));
  });
}
