import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { branchId } from '../../../src/memory/derived-id.ts';
import type { Memory, Scope } from '../../../src/memory/memory.ts';
import type { AgentSnapshots } from '../../../src/storage/agent-snapshots.ts';
import type { NewMemory } from '../../../src/storage/records.ts';
import { newMemory } from '../../support/new-memory.ts';
import type { WholeStore } from '../../support/whole-store.ts';

export interface AgentSnapshotsSubject {
  readonly name: string;
  /** Snapshots beside an empty store. */
  create(): Promise<{ agents: AgentSnapshots; store: WholeStore; close(): Promise<void> }>;
}

const scopeOf = (parts: Partial<Scope>): Scope => ({ project: '', agentType: '', agent: '', session: '', ...parts });
const ADA = scopeOf({ agent: 'ada' });
const vectorOf = (...values: number[]) => ({ model: 'm', values: Float32Array.from(values) });
const namespace = 'space';

/** Contract of all `AgentSnapshots`. */
export function agentSnapshotsSuite({ name, create }: AgentSnapshotsSubject): void {
  describe(`agent snapshots (${name})`, () => {
    let agents: AgentSnapshots;
    let store: WholeStore;
    let close: () => Promise<void>;
    let atUs: number;
    beforeEach(async () => {
      atUs = Date.now() * 1000;
      ({ agents, store, close } = await create());
      await store.write({ kind: 'createNamespace', name: namespace, description: '', memoryLimit: 0, atUs });
      await put(['kept', 'changed', 'erased'].map((id) => memoryOf(id)));
      await put([memoryOf('bobs', { scope: scopeOf({ agent: 'bob' }) })]);
    });
    afterEach(() => close());

    const memoryOf = (id: string, more: Partial<NewMemory> = {}): NewMemory => ({
      ...newMemory({ id, text: `${id} then`, scope: ADA }),
      embedding: vectorOf(0.1, 1 / 3),
      ...more,
    });
    const put = (memories: NewMemory[]) =>
      store.write({ kind: 'store', namespace, memories, createNamespace: false, onConflict: 'fail', atUs: ++atUs });
    const take = (id: string, more: object = {}) =>
      agents.take({ namespace, id, scope: ADA, description: 'why', atUs: ++atUs, ...more });
    const restore = (id: string, more: object = {}) =>
      agents.restore({ namespace, id, embedsLater: false, atUs: ++atUs, ...more });
    const fork = (id: string, to: Partial<Scope>, more: object = {}) =>
      agents.fork({ namespace, id, to: scopeOf(to), embedsLater: false, atUs: ++atUs, ...more });
    const diff = async (id: string, to?: { snapshot: string } | { scope: Scope }) => {
      const found = await agents.diff({ namespace, id, to, nowUs: ++atUs });
      return [found.added, found.removed, found.changed].map((ids) => [...ids].sort());
    };
    const change = (id: string, changes: object) =>
      store.write({ kind: 'update', namespace, id, changes, atUs: ++atUs });
    const erase = (id: string) =>
      store.write({ kind: 'delete', namespace, ids: [id], cause: 'deleted', mustExist: true, atUs: ++atUs });
    async function present(agent: string): Promise<Map<string, Memory>> {
      const read = { namespace, order: 'create_time_asc', limit: 100, bytesMax: 1e9, view: 'full' } as const;
      const { memories } = await store.list({ ...read, nowUs: atUs });
      const own = memories.filter(({ scope }) => scope.agent === agent);
      return new Map(own.map((memory) => [memory.id, memory]));
    }
    async function livedOn() {
      await change('changed', { importance: 0.9, embedding: vectorOf(7, 7) });
      await change('changed', { importance: 0.8 });
      await erase('erased');
      await put([memoryOf('later')]);
    }
    const essence = (memories: ReadonlyMap<string, Memory>) =>
      [...memories.values()]
        .map(({ id, text, importance, embedding }) => [id, text, importance, [...(embedding?.values ?? [])]])
        .sort();

    it('taken › is listed with its values; a second one of the id is refused', async () => {
      const taken = await take('one');
      expect(taken).toMatchObject({ id: 'one', scope: ADA, description: 'why', createdAtUs: atUs });
      await expect(take('one')).rejects.toMatchObject({ reason: 'SNAPSHOT_EXISTS' });
      expect(await agents.list({ namespace, limit: 10 })).toEqual([taken]);
    });

    it('listed › by id, in pages', async () => {
      for (const id of ['c', 'a', 'b']) await take(id);
      const ids = async (limit: number, afterId?: string) =>
        (await agents.list({ namespace, limit, afterId })).map(({ id }) => id);
      expect([await ids(2), await ids(2, 'b'), await ids(2, 'c')]).toEqual([['a', 'b'], ['c'], []]);
    });

    it('compared › returns added, removed and changed memories, to now or to another snapshot', async () => {
      await take('one');
      expect(await diff('one')).toEqual([[], [], []]);
      await livedOn();
      await take('two');
      expect(await diff('one')).toEqual([['later'], ['erased'], ['changed']]);
      expect(await diff('one', { snapshot: 'two' })).toEqual([['later'], ['erased'], ['changed']]);
      expect(await diff('two', { snapshot: 'one' })).toEqual([['erased'], ['later'], ['changed']]);
    });

    it('restored › all memories are restored, with their vectors bit for bit, and other agents are unaffected', async () => {
      const before = essence(await present('ada'));
      await take('one');
      await livedOn();
      await take('two');
      const lived = essence(await present('ada'));
      expect(await restore('one')).toMatchObject({ restoredCount: 2, erasedCount: 1 });
      expect(essence(await present('ada'))).toEqual(before);
      expect(await restore('one')).toMatchObject({ restoredCount: 0, erasedCount: 0 });
      await restore('two');
      expect(essence(await present('ada'))).toEqual(lived);
      expect((await present('bob')).size).toBe(1);
    });

    it('forked › gives another agent copies once, with vectors, which are matched when compared', async () => {
      await take('one');
      await livedOn();
      expect((await fork('one', { agent: 'eve', project: 'p' })).copiedCount).toBe(3);
      expect((await fork('one', { agent: 'eve', project: 'p' })).copiedCount).toBe(0);
      const eve = await present('eve');
      expect([...eve.keys()].sort()).toEqual(['kept', 'changed', 'erased'].map((id) => branchId(id, 'eve')).sort());
      for (const memory of eve.values()) {
        expect(memory.scope).toEqual(scopeOf({ agent: 'eve', project: 'p' }));
        expect(memory.embedding).toEqual(vectorOf(0.1, 1 / 3));
      }
      expect(await diff('one', { scope: scopeOf({ agent: 'eve' }) })).toEqual([[], [], []]);
      await expect(fork('one', { agent: 'ada' })).rejects.toMatchObject({ reason: 'FIELD_INVALID' });
    });

    it('memories that have expired since › are not restored', async () => {
      await put([memoryOf('short', { expiresAtUs: atUs + 1000 })]);
      await take('one');
      await erase('short');
      atUs += 2000;
      await restore('one');
      expect([...(await present('ada')).keys()].sort()).toEqual(['changed', 'erased', 'kept']);
    });

    it('deleted or unknown › is not found', async () => {
      await take('one');
      await agents.drop({ namespace, id: 'one', atUs: ++atUs });
      const missing = { reason: 'SNAPSHOT_NOT_FOUND' };
      await expect(agents.drop({ namespace, id: 'one', atUs })).rejects.toMatchObject(missing);
      await expect(diff('one')).rejects.toMatchObject(missing);
      await expect(restore('one')).rejects.toMatchObject(missing);
      await expect(fork('one', { agent: 'eve' })).rejects.toMatchObject(missing);
      await expect(take('x', { namespace: 'nowhere' })).rejects.toMatchObject({ reason: 'NAMESPACE_NOT_FOUND' });
    });

    it('repeated with its request id › each write has one effect and returns its first outcome', async () => {
      const once = (requestId: string) => ({ idempotency: { requestId, fingerprint: requestId } });
      const first = await take('one', once('take'));
      expect(await take('one', once('take'))).toEqual(first);
      await livedOn();
      const restored = await restore('one', once('restore'));
      expect(await restore('one', once('restore'))).toEqual(restored);
      const forked = await fork('one', { agent: 'eve' }, once('fork'));
      expect(await fork('one', { agent: 'eve' }, once('fork'))).toEqual(forked);
      const drop = { namespace, id: 'one', ...once('drop') };
      await agents.drop({ ...drop, atUs: ++atUs });
      await agents.drop({ ...drop, atUs: ++atUs });
    });

    it('of a deleted namespace › are deleted, also when it is created again', async () => {
      await take('one');
      await store.write({ kind: 'deleteNamespace', name: namespace, force: true, atUs: ++atUs });
      await store.write({ kind: 'createNamespace', name: namespace, description: '', memoryLimit: 0, atUs: ++atUs });
      expect(await agents.list({ namespace, limit: 10 })).toEqual([]);
    });
  });
}
