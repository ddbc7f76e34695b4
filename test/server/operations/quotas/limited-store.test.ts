import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MnemeError } from '../../../../src/memory/errors.ts';
import { limitRulesIn } from '../../../../src/server/identity/limit-rules.ts';
import { Quotas } from '../../../../src/server/identity/quotas.ts';
import { limitedRecords } from '../../../../src/server/operations/quotas/limited-store.ts';
import { asOrigin } from '../../../../src/server/operations/visibility/visibility.ts';
import type { Change, Records, StoreWrite } from '../../../../src/storage/records.ts';
import { withMethods } from '../../../../src/storage/with-methods.ts';
import { because, NOW_US, put, SPACE } from '../../../storage/conformance/memory-store/store-of-test.ts';
import { InMemoryMemoryStore } from '../../../storage/in-memory/memory-store.ts';
import { newMemory } from '../../../support/new-memory.ts';

let inner: InMemoryMemoryStore;
let store: Records;
let quotas: Quotas;
let refusals: string[];
/** End the waits of writes, by the id of their memory, or the text of their update. */
let gates: Map<string, PromiseWithResolvers<void>>;
let whenListed: () => void;
beforeEach(() => {
  inner = new InMemoryMemoryStore();
  gates = new Map();
  whenListed = () => {};
  refusals = [];
  quotas = new Quotas([], { verbOf: () => undefined });
  quotas.onExceeded = (...refusal) => void refusals.push(refusal.join(' '));
  store = limitedRecords(gated(inner), inner, quotas);
});
afterEach(() => inner.close());

/** A store whose writes wait for the gate of their memory, and updates for that of their text, if there is one. */
function gated(records: Records): Records {
  const keyOf = (change: Change) => {
    if (change.kind === 'store') return change.memories[0]?.id;
    return change.kind === 'update' ? change.changes.text : undefined;
  };
  return withMethods(records, {
    write: async (change) => {
      await gates.get(keyOf(change as Change) ?? '')?.promise;
      return records.write(change);
    },
    listNamespaces: (read) => {
      whenListed();
      return records.listNamespaces(read);
    },
  });
}

function gate(key: string): PromiseWithResolvers<void> {
  const made = Promise.withResolvers<void>();
  gates.set(key, made);
  return made;
}

const limit = (limits: object) => quotas.replace(limitRulesIn({ all: limits }));

function asAda<A>(work: () => Promise<A>): Promise<A> {
  const principal = { identity: 'ada', proof: 'none', credential: '', grants: 'all' } as const;
  return asOrigin({ from: undefined, limits: undefined, principal }, work);
}

const putAsAda = (id: string, text = 'word', options: Partial<StoreWrite> = {}) =>
  asAda(() => put(store, [newMemory({ id, text })], options));
const updateAsAda = (id: string, text: string) =>
  asAda(() => store.write({ kind: 'update', namespace: SPACE, id, changes: { text }, atUs: NOW_US }));
const FULL = because('QUOTA_EXCEEDED');

/** Runs everything that waits for no gate. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await Promise.resolve();
}

describe('a namespace above its limits', () => {
  beforeEach(async () => {
    await put(
      inner,
      ['a', 'b', 'c'].map((id) => newMemory({ id, text: 'x'.repeat(20) })),
    );
    limit({ namespace_memories: 2, namespace_bytes: 50 });
  });

  it('a replacement that adds nothing › is made; one that adds bytes is refused', async () => {
    await putAsAda('a', 'shorter', { onConflict: 'replace' });
    await putAsAda('b', 'y'.repeat(20), { onConflict: 'replace' });
    await expect(putAsAda('c', 'y'.repeat(60), { onConflict: 'replace' })).rejects.toMatchObject(FULL);
    expect(refusals).toEqual(['all namespace_bytes ada']);
  });

  it('an id in use › MEMORY_EXISTS, or the memory as it is', async () => {
    await expect(putAsAda('a')).rejects.toMatchObject(because('MEMORY_EXISTS'));
    await putAsAda('a', 'word', { onConflict: 'keep' });
    expect(refusals).toEqual([]);
  });

  it('a store that erases as much as it adds › is made; one that erases unknown memories is refused', async () => {
    await putAsAda('d', 'short', { erasedIds: ['a'] });
    await expect(putAsAda('e', 'short', { erasedIds: ['a'] })).rejects.toMatchObject(FULL);
  });

  it('an update that adds no bytes › is made; a longer one is refused', async () => {
    await updateAsAda('a', 'y'.repeat(20));
    await expect(updateAsAda('a', 'y'.repeat(21))).rejects.toMatchObject(FULL);
  });
});

describe('what a write has counted', () => {
  const used = () => [...quotas.uses()].map(({ limit, used, most }) => `${limit} ${used} of ${most}`);

  it('stores, replacements and refusals › what the namespace has', async () => {
    limit({ namespace_memories: 2, namespace_bytes: 50 });
    await putAsAda('a', 'x'.repeat(20));
    expect(used()).toEqual(['namespace_memories 1 of 2', 'namespace_bytes 20 of 50']);
    await putAsAda('b', 'x'.repeat(25));
    await putAsAda('b', 'y'.repeat(30), { onConflict: 'replace' });
    await expect(putAsAda('c')).rejects.toMatchObject(FULL);
    expect(used()).toEqual(['namespace_memories 2 of 2', 'namespace_bytes 50 of 50']);
  });

  it('a new namespace › the number of those that there are', async () => {
    limit({ namespaces: 2 });
    for (const namespace of ['one', 'two']) await putAsAda('a', 'word', { namespace });
    await expect(putAsAda('a', 'word', { namespace: 'three' })).rejects.toMatchObject(FULL);
    expect(used()).toEqual(['namespaces 2 of 2']);
  });
});

describe('a store with an id several times', () => {
  const storeAsAda = (texts: readonly (readonly [id: string, text: string])[], options: Partial<StoreWrite>) =>
    asAda(() =>
      put(
        store,
        texts.map(([id, text]) => newMemory({ id, text })),
        options,
      ),
    );
  const [x50, x60] = ['x'.repeat(50), 'x'.repeat(60)];

  it('of a memory that it replaces › the bytes of that count once', async () => {
    await put(inner, [newMemory({ id: 'a', text: x50 })]);
    limit({ namespace_bytes: 100 });
    const again = ['a', 'x'] as const;
    const write = [again, again, ['a', x50], ['b', x60]] as const;
    await expect(storeAsAda(write, { onConflict: 'replace' })).rejects.toMatchObject(FULL);
    await storeAsAda([again, again, ['b', x60]], { onConflict: 'replace' });
    expect(await inner.size(SPACE)).toMatchObject({ count: 2, contentBytes: 61 });
  });

  it('of a new memory › it counts once', async () => {
    limit({ namespace_memories: 1, namespace_bytes: 60 });
    const twice = [
      ['a', x50],
      ['a', x60],
    ] as const;
    await storeAsAda(twice, { onConflict: 'replace' });
    expect(await inner.size(SPACE)).toMatchObject({ count: 1, contentBytes: 60 });
    await storeAsAda([...twice].reverse(), { onConflict: 'keep' });
  });

  it('of a memory that it erases › that is credited once', async () => {
    await put(inner, [newMemory({ id: 'a', text: x50 })]);
    limit({ namespace_memories: 1 });
    await storeAsAda([['a', x50]], { erasedIds: ['a'] });
    const two = [
      ['a', x50],
      ['b', x50],
    ] as const;
    await expect(storeAsAda(two, { erasedIds: ['a', 'a'] })).rejects.toMatchObject(FULL);
  });
});

describe('a write behind another', () => {
  it('that fails › has its room, and is no refusal', async () => {
    limit({ namespace_memories: 1 });
    const { reject } = gate('a');
    const first = putAsAda('a');
    first.catch(() => undefined);
    const second = putAsAda('b');
    await settle();
    expect(refusals).toEqual([]);
    reject(new MnemeError('STORAGE_FULL', 'the disk is full'));
    await second;
    await expect(first).rejects.toMatchObject(because('STORAGE_FULL'));
    expect(refusals).toEqual([]);
  });

  it('that is made › is refused, and counted once', async () => {
    limit({ namespace_memories: 1 });
    const { resolve } = gate('a');
    const both = [putAsAda('a'), putAsAda('b')];
    const outcomes = Promise.allSettled(both);
    await settle();
    resolve();
    expect((await outcomes).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(refusals).toEqual(['all namespace_memories ada']);
  });

  it('with a limit that is taken out of the policy meanwhile › is made', async () => {
    limit({ namespace_memories: 1 });
    const { resolve } = gate('a');
    const first = putAsAda('a');
    const second = putAsAda('b');
    await settle();
    limit({});
    resolve();
    await Promise.all([first, second]);
  });

  it('that makes its memory longer again › counts with its whole text', async () => {
    await put(inner, [newMemory({ id: 'a', text: 'x'.repeat(60) })]);
    limit({ namespace_bytes: 100 });
    const [short, long] = ['x'.repeat(10), 'x'.repeat(60)];
    const gates = [gate(short), gate(long)];
    const updates = [updateAsAda('a', short), updateAsAda('a', long)];
    await settle();
    gates[0]?.resolve();
    await updates[0];
    const added = putAsAda('b', 'x'.repeat(85));
    added.catch(() => undefined);
    await settle();
    gates[1]?.resolve();
    await updates[1];
    await expect(added).rejects.toMatchObject(FULL);
  });
});

describe('a number of namespaces', () => {
  it('whose limit is taken out of the policy while they are counted › the limit at the beginning holds', async () => {
    limit({ namespaces: 1 });
    await put(inner, [newMemory({ id: 'a' })]);
    whenListed = () => limit({});
    const another = { name: 'another', description: '', memoryLimit: 0, atUs: NOW_US };
    await expect(asAda(() => store.write({ kind: 'createNamespace', ...another }))).rejects.toMatchObject(FULL);
    await asAda(() => store.write({ kind: 'createNamespace', ...another }));
  });
});
