import { describe, expect, test } from '@jest/globals';
import { type MemoryEntry, MemoryManager as StrandsMemoryManager, tool } from '@strands-agents/sdk';
import type { MnemeMemoryManagerConfig } from '../../../clients/typescript/src/strands/index.ts';
import {
  AddStore,
  agentOf,
  BothStore,
  callTool,
  lastTexts,
  MessageStore,
  managerOf,
  ReadOnlyStore,
} from './support.ts';

const scoped = (store: string | AddStore) =>
  managerOf([new AddStore('add'), new ReadOnlyStore('read'), new MessageStore('messages')], {
    addToolConfig: { stores: [store] },
  });

describe('construction', () => {
  test.each([
    ['1', () => managerOf([]), 'at least one store is required'],
    ['3', () => managerOf([new AddStore(), new AddStore()]), "duplicate store name 'a'"],
    ['4', () => managerOf([new ReadOnlyStore('a', { writable: true })]), 'is writable but has no add'],
    ['8', () => managerOf([new ReadOnlyStore()], { addToolConfig: true }), 'no writable stores implement add'],
    ['11', () => scoped('x'), "'x' not found"],
    ['12', () => scoped('read'), "'read' is not writable"],
    ['13', () => scoped('messages'), "'messages' has no add method"],
    ['15', () => scoped(new AddStore('other')), "'other' not found"],
    ['16', () => managerOf([new ReadOnlyStore('a', { extraction: true })]), 'not writable'],
    ['17', () => managerOf([new BothStore('a', { extraction: { trigger: [] } })]), 'no triggers'],
    ['19', () => managerOf([new MessageStore()], { addToolConfig: true }), 'no writable stores implement add'],
  ])('%s: a misconfiguration is refused', (_, make, message) => {
    expect(make).toThrow(message);
  });

  test('2, 18, 22-24: these configs are accepted', () => {
    const stores = [
      new MessageStore('a'),
      new MessageStore('b', { extraction: true }),
      new AddStore('c', { extraction: {} }),
    ];
    expect(managerOf(stores).name).toBe('strands:memory-manager');
  });

  test('5: a store that only searches is read-only', async () => {
    const manager = managerOf([new ReadOnlyStore()]);
    expect(namesOf(manager)).toEqual(['search_memory']);
    await expect(manager.add('x')).rejects.toThrow('no writable store matched');
  });

  test('14: the add tool is scoped by instances', async () => {
    const [one, two] = [new AddStore('one'), new AddStore('two')];
    await callTool(managerOf([one, two], { addToolConfig: { stores: [two] } }), 'add_memory', { entries: ['x'] });
    expect([one.added.length, two.added.length]).toEqual([0, 1]);
  });
});

describe('tools', () => {
  const cases: [string, Omit<MnemeMemoryManagerConfig, 'stores'>, string[]][] = [
    ['27, 29', {}, ['search_memory', 'of_a', 'of_b']],
    ['28, 35', { addToolConfig: true }, ['search_memory', 'add_memory', 'of_a', 'of_b']],
    ['30, 34, 36', { searchToolConfig: false }, ['of_a', 'of_b']],
    ['31', { searchToolConfig: { name: 'find' }, addToolConfig: { name: 'keep' } }, ['find', 'keep', 'of_a', 'of_b']],
  ];
  test.each(cases)('%s: names in order', (_, options, names) => {
    class WithTools extends AddStore {
      getTools() {
        return [tool({ name: `of_${this.name}`, description: 'd', callback: () => 'x' })];
      }
    }
    expect(namesOf(managerOf([new WithTools('a'), new WithTools('b')], options))).toEqual(names);
  });

  test('32-33: descriptions name the stores', () => {
    const stores = [new AddStore('a', { description: 'about work' }), new AddStore('b')];
    for (const { description } of managerOf(stores, { addToolConfig: true }).getTools()) {
      expect(description).toContain('- a: about work');
      expect(description).not.toContain('- b');
    }
  });
});

describe('search', () => {
  test('37, 43: all stores in order, with their names', async () => {
    const stores = [new ReadOnlyStore('a', { entries: ['1', '2'] }), new ReadOnlyStore('b', { entries: ['3'] })];
    expect(await managerOf(stores).search('q')).toEqual([
      { content: '1', storeName: 'a' },
      { content: '2', storeName: 'a' },
      { content: '3', storeName: 'b' },
    ]);
  });

  test('results with a relevance are in one order', async () => {
    const entry = (content: string, relevance: number): MemoryEntry => ({
      content,
      metadata: { _relevance: relevance },
    });
    const low = new ReadOnlyStore('low', { entries: [entry('l1', 0.4), entry('l2', 0.1)] });
    const high = new ReadOnlyStore('high', { entries: [entry('h', 0.9)] });
    const found = await managerOf([new ReadOnlyStore('none', { entries: ['n'] }), low, high]).search('q');
    expect(found.map(({ content }) => content)).toEqual(['h', 'l1', 'l2', 'n']);
  });

  test.each([
    ['38', 7, undefined, 7],
    ['39', 7, 2, 2],
    ['40', undefined, undefined, 3],
  ])('%s: the limit of a search', async (_, ofStore, ofCall, limit) => {
    const store = new ReadOnlyStore('a', ofStore === undefined ? {} : { maxSearchResults: ofStore });
    await managerOf([store]).search('q', ofCall === undefined ? {} : { maxSearchResults: ofCall });
    expect(store.searched).toEqual([['q', { maxSearchResults: limit }]]);
  });

  test.each([
    ['41', ['b', 'b'], 'b'],
    ['44', [], ''],
  ])('%s: named stores', async (_, stores, searched) => {
    const both = [new ReadOnlyStore('a'), new ReadOnlyStore('b')];
    await managerOf(both).search('q', { stores });
    expect(both.flatMap(({ name, searched: calls }) => calls.map(() => name)).join('')).toBe(searched);
  });

  test('42: a failing store is left out and named, also one that throws at once', async () => {
    class Throws extends ReadOnlyStore {
      override search(): never {
        throw new Error('thrown at once');
      }
    }
    const bad = new ReadOnlyStore('bad', { fault: new Error('away') });
    const manager = managerOf([bad, new Throws('worse'), new ReadOnlyStore('good', { entries: ['x'] })]);
    expect(await manager.search('q')).toEqual([{ content: 'x', storeName: 'good' }]);
    expect(Object.fromEntries(manager.failures)).toEqual({ bad: 'search: away', worse: 'search: thrown at once' });
  });

  test('a slow store is bounded and named', async () => {
    const slow = new ReadOnlyStore('slow');
    const { promise, resolve } = Promise.withResolvers<void>();
    slow.gate = promise;
    const manager = managerOf([slow, new ReadOnlyStore('good', { entries: ['x'] })], { searchTimeoutMs: 20 });
    expect(await manager.search('q')).toEqual([{ content: 'x', storeName: 'good' }]);
    expect(manager.failures.get('slow')).toBe('search: no answer within 20 ms');
    resolve();
    await manager.search('q');
    expect(manager.failures.size).toBe(0);
  });

  test('45: an unknown store fails before any search', async () => {
    const store = new ReadOnlyStore();
    await expect(managerOf([store]).search('q', { stores: ['a', 'x'] })).rejects.toThrow("'x' not found");
    expect(store.searched).toEqual([]);
  });
});

describe('add', () => {
  test.each([
    ['46', undefined, 'ab'],
    ['48', ['b'], 'b'],
    ['49', ['b', 'b'], 'b'],
  ])('%s: targets', async (_, names, written) => {
    const stores = [new AddStore('a'), new AddStore('b'), new MessageStore('c'), new ReadOnlyStore('d')];
    await managerOf(stores).add('x', { metadata: { k: 1 }, ...(names && { stores: names }) });
    expect(stores.flatMap(({ name, added }) => added.map(() => name)).join('')).toBe(written);
    expect(stores.flatMap(({ added }) => added)[0]).toEqual(['x', { k: 1 }]); // 47
  });

  test.each([
    ['50', [], 'no writable store matched'],
    ['51', ['x'], "'x' not found"],
    ['52', ['read'], "'read' is read-only"],
    ['capability', ['messages'], "'messages' has no add method"],
  ])('%s: no target', async (_, stores, message) => {
    const manager = managerOf([new AddStore(), new ReadOnlyStore('read'), new MessageStore('messages')]);
    await expect(manager.add('x', { stores })).rejects.toThrow(message);
  });

  test('53: failed stores are named and the others written', async () => {
    const [good, bad] = [new AddStore('good'), new AddStore('bad', { fault: new Error('full') })];
    await expect(managerOf([good, bad]).add('x')).rejects.toThrow('bad');
    expect(good.added).toEqual([['x', undefined]]);
  });
});

describe('the tools of the model', () => {
  test.each([
    ['54', {}, 'ab'],
    ['55', { stores: [] }, 'ab'],
    ['56', { stores: ['b'] }, 'b'],
    ['58', { stores: ['b', 'x'] }, 'b'],
    ['59', { stores: ['x'] }, ''],
  ])('%s: stores of the search tool', async (_, input, searched) => {
    const stores = [new ReadOnlyStore('a'), new ReadOnlyStore('b')];
    const { status, text } = await callTool(managerOf(stores, { injection: false }), 'search_memory', {
      query: 'q',
      ...input,
    });
    expect(stores.flatMap(({ name, searched: calls }) => calls.map(() => name)).join('')).toBe(searched);
    expect(status).toBe(searched === '' ? 'error' : 'success');
    if (searched === '') expect(text).toContain('available stores: a, b');
  });

  test('57: results have their store and their metadata', async () => {
    const store = new ReadOnlyStore('a', { entries: [{ content: 'tea', metadata: { k: 1 } }] });
    const manager = managerOf([store], { injection: false });
    const { text } = await callTool(manager, 'search_memory', { query: 'q', maxSearchResults: 9 });
    for (const part of ['tea', 'storeName', '"k":1']) expect(text.replaceAll('\\"', '"')).toContain(part);
    expect(store.searched).toEqual([['q', { maxSearchResults: 9 }]]);
  });

  test.each([
    ['60, 64', {}, 'ab'],
    ['61', { stores: [] }, 'ab'],
    ['65', { stores: ['a', 'x'] }, 'a'],
    ['63, 66', { stores: ['out'] }, ''],
    ['64', { stores: ['read'] }, ''],
  ])('%s: stores of the add tool', async (_, input, written) => {
    const stores = [new AddStore('a'), new AddStore('b'), new AddStore('out'), new ReadOnlyStore('read')];
    const manager = managerOf(stores, { addToolConfig: { stores: ['a', 'b'] }, injection: false }); // 62
    const { status, text } = await callTool(manager, 'add_memory', { entries: ['x'], ...input });
    expect(stores.flatMap(({ name, added }) => added.map(() => name)).join('')).toBe(written);
    expect(status).toBe(written === '' ? 'error' : 'success');
    expect(text).toContain(written === '' ? 'available stores: a, b' : 'stored'); // 68
  });

  test('67: no entries are refused', async () => {
    const store = new AddStore();
    const { status } = await callTool(managerOf([store], { addToolConfig: true }), 'add_memory', { entries: [] });
    expect([status, store.added.length]).toEqual(['error', 0]);
  });

  test('69: failures have their reasons', async () => {
    const manager = managerOf([new AddStore('a', { fault: new Error('full') })], {
      addToolConfig: true,
      injection: false,
    });
    const { status, text } = await callTool(manager, 'add_memory', { entries: ['x', 'y'] });
    expect(status).toBe('error');
    expect(text).toContain('failed to add 2 of 2 entries: full; full');
  });

  test.each([
    ['70', undefined],
    ['71', new Error('full')],
  ])('%s: the add tool without waiting, and a flush that waits', async (_, fault) => {
    const store = new AddStore('a', fault ? { fault } : {});
    const { promise, resolve } = Promise.withResolvers<void>();
    store.gate = promise;
    const manager = managerOf([store], { addToolConfig: { waitForWrites: false }, injection: false });
    const { status, text } = await callTool(manager, 'add_memory', { entries: ['x', 'y'] });
    expect([status, store.added.length]).toEqual(['success', 0]);
    expect(text).toContain('accepted');
    const flushed = manager.flush();
    resolve();
    await flushed;
    expect(store.added.length).toBe(fault ? 0 : 2);
  });
});

describe('agents', () => {
  test('an instance or a config is given to the agent', async () => {
    const store = new ReadOnlyStore('a', { entries: ['tea'] });
    const manager = managerOf([store]);
    expect(agentOf(manager).agent.memoryManager).toBe(manager);
    const { agent, model } = agentOf({ stores: [store] });
    expect(agent.memoryManager).toBeInstanceOf(StrandsMemoryManager);
    await agent.invoke('hello');
    expect(lastTexts(model).join('')).toContain('tea');
  });

  test('a manager that is given twice is refused', async () => {
    const manager = managerOf([new ReadOnlyStore()]);
    const given = async () => agentOf(manager, ['ok'], { plugins: [manager] }).agent.invoke('hello');
    await expect(given()).rejects.toThrow(/twice|memoryManager|already|[Dd]uplicate/);
  });
});

function namesOf(manager: StrandsMemoryManager): string[] {
  return manager.getTools().map(({ name }) => name);
}
