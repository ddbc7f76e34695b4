import { expect, it } from '@jest/globals';
import { newMemory } from '../../../support/new-memory.ts';
import { because, NOW_US, put, SPACE } from '../memory-store/store-of-test.ts';
import type { TieredSubject } from './tiered-subject.ts';

export function settings(subject: () => TieredSubject): void {
  const store = () => subject().store;
  const set = (namespace: string, ...changes: [string, string | null][]) =>
    store().write({ kind: 'setTierSettings', namespace, settings: changes, atUs: NOW_US });
  const read = async (namespace: string) => Object.fromEntries(await store().tierSettings(namespace));

  it('settings › set, changed, removed › the rest stays; other namespaces and the settings for all have their own', async () => {
    await put(subject().store, [newMemory({ id: 'a' })]);
    await set(SPACE, ['a.b', '1'], ['a.c', '2']);
    await set('', ['a.b', '9']);
    await set(SPACE, ['a.b', '3'], ['a.c', null], ['never.set', null]);
    expect(await read(SPACE)).toEqual({ 'a.b': '3' });
    expect(await read('')).toEqual({ 'a.b': '9' });
    expect(await read('another')).toEqual({});
  });

  it('settings › missing namespace › refused, and nothing is stored', async () => {
    await expect(set('none', ['a.b', '1'])).rejects.toMatchObject(because('NAMESPACE_NOT_FOUND'));
    expect(await read('none')).toEqual({});
  });

  it('settings, maintainedAtUs › namespace deleted and created again › removed', async () => {
    await put(subject().store, [newMemory({ id: 'a' })]);
    await set(SPACE, ['a.b', '1']);
    await store().write({ kind: 'setMaintained', namespace: SPACE, atUs: NOW_US });
    expect(await store().maintainedAtUs(SPACE)).toBe(NOW_US);
    await subject().store.write({ kind: 'deleteNamespace', name: SPACE, force: true, atUs: NOW_US });
    await put(subject().store, [newMemory({ id: 'a' })]);
    expect(await read(SPACE)).toEqual({});
    expect(await store().maintainedAtUs(SPACE)).toBeUndefined();
  });
}
