import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentMemoryAPI } from '../../clients/typescript/src/agentmemory/index.ts';
import { connect, InvalidArgumentError, type Mneme, services, where } from '../../clients/typescript/src/index.ts';
import { MnemeSaver, MnemeStore } from '../../clients/typescript/src/langgraph/index.ts';
import { MnemeSession } from '../../clients/typescript/src/openai-agents/index.ts';
import { MemoryManager, MnemeMemoryStore } from '../../clients/typescript/src/strands/index.ts';
import { startServer } from '../../clients/typescript/src/testing.ts';
import { type ServedMneme, serveMneme } from '../cli/support/serve-mneme.ts';
import { cleanUp, client } from './support/clean-up.ts';
import { collect } from './support/collect.ts';

let server: ServedMneme;
beforeAll(async () => {
  server = await serveMneme();
});
afterAll(() => server.stop());
afterEach(cleanUp);

/** A value as JavaScript passes it, without a compiler that would refuse it. */
const js = (value: unknown) => value as never;

async function fieldOf(call: () => unknown): Promise<{ field: string; message: string }> {
  try {
    const answer = await call();
    if (typeof answer === 'object' && answer && Symbol.asyncIterator in answer)
      await collect(answer as AsyncIterable<unknown>);
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidArgumentError);
    const { violations, message } = error as InvalidArgumentError;
    return { field: violations[0]?.field ?? '', message };
  }
  throw new Error('nothing was refused');
}

describe('A1 options that do not exist are refused', () => {
  it('forget › erases nothing, and the error has the option that was meant and all known ones', async () => {
    const mneme = client(server.address, { namespace: 'a1-forget' });
    await mneme.batchStore(['one', 'two', 'three'].map((text) => ({ text, type: 'fact' })));

    const { field, message } = await fieldOf(() => mneme.forget(js({ filter: 'type = "fact"', dryrun: true })));

    expect(field).toBe('dryrun');
    expect(message).toBe('dryrun: unknown option, did you mean dryRun? known are filter, all, dryRun (forget)');
    expect(await mneme.count()).toMatchObject({ count: 3 });
  });

  it.each<[string, unknown]>([
    ['all', { all: 'no' }],
    ['all', { all: 1 }],
    ['all', { all: 'false', dryRun: true }],
    ['dryRun', { filter: 'type = "fact"', dryRun: 'true' }],
    ['dryRun', { all: true, dryRun: null }],
    ['filter', { filter: { type: 'fact' } }],
    ['filter', { filter: null, all: true }],
    ['filter', { filter: ['type = "fact"'] }],
    ['ids', { ids: ['a'] }],
  ])('forget › a value of a wrong type erases nothing: %s in %j', async (wrong, query) => {
    const mneme = client(server.address, { namespace: 'a1-types' });
    await mneme.store({ text: 'stays', type: 'fact' });
    const { count } = await mneme.count();

    const { field } = await fieldOf(() => mneme.forget(js(query)));

    expect(field).toBe(wrong);
    expect(await mneme.count()).toMatchObject({ count });
  });

  it.each<[string, string, (mneme: Mneme) => unknown]>([
    ['limt', 'limit', (m) => m.recall(js({ text: 'x', limt: 1 }))],
    ['limit', 'argument 1, query', (m) => m.recall('x', js({ limit: 3 }))],
    ['weights.keywords', 'keyword', (m) => m.recall({ text: 'x', weights: js({ keywords: 1 }) })],
    ['scope.agenttype', 'agentType', (m) => m.recall({ text: 'x', scope: js({ agenttype: 'a' }) })],
    ['nearTime.timescaleMs', 'timeScaleMs', (m) => m.recall({ text: 'x', nearTime: js({ time: 0, timescaleMs: 1 }) })],
    ['timeWindow.period', 'must be one of', (m) => m.recall({ text: 'x', timeWindow: js({ period: 'days' }) })],
    ['view', 'must be one of', (m) => m.list(js({ view: 'all' }))],
    ['filtre', 'filter', (m) => m.list(js({ filtre: 'type = "fact"' }))],
    ['page_size', 'pageSize', (m) => m.listPage(js({ page_size: 5 }))],
    ['ifversion', 'ifVersion', (m) => m.update('x', { text: 'y' }, js({ ifversion: 1 }))],
    ['changes.txt', 'text', (m) => m.update('x', js({ txt: 'y' }))],
    ['allowmissing', 'allowMissing', (m) => m.delete('x', js({ allowmissing: true }))],
    ['ifVersion', 'must be a number', (m) => m.delete('x', js({ ifVersion: null }))],
    ['session', 'sessionId', (m) => m.lifecycle.spawn(js({ session: 's' }))],
    ['lessons', 'must be a list', (m) => m.lifecycle.terminate('s', js({ lessons: 'one' }))],
    ['id', 'belongs in the memory', (m) => m.store({ text: 'x' }, js({ id: 'a' }))],
    ['memory.source.speker', 'speaker', (m) => m.store({ text: 'x', source: js({ speker: 'Ada' }) })],
    ['memory.namespace', 'known are', (m) => m.store(js({ text: 'x', namespace: 'other' }))],
    ['memories[1].importence', 'importance', (m) => m.batchStore(js([{ text: 'x' }, { text: 'y', importence: 1 }]))],
    ['Force', 'force', (m) => m.namespaces.delete('a1-x', js({ Force: true }))],
    ['dryrun', 'dryRun', (m) => m.clearTier('short_term', js({ all: true, dryrun: true }))],
    ['all', 'must be', (m) => m.clearTier('short_term', js({ all: 'no' }))],
    ['dryrun', 'dryRun', (m) => m.facts.forget(js({ subject: 'user', dryrun: true }))],
    ['dryrun', 'dryRun', (m) => m.admin.maintainTiers(js({ dryrun: true }))],
    ['policy.readonly', 'readOnly', (m) => m.scopes.setPolicy({ agent: 'a' }, js({ readonly: true }))],
    ['expiry.ttl', 'ttlMs', (m) => m.session('s').set('k', 1, js({ expiry: { ttl: 5 } }))],
    ['operations[0].ifversion', 'ifVersion', (m) => m.session('s').transact(js([{ remove: 'k', ifversion: 3 }]))],
    ['endOfinvocation', 'endOfInvocation', (m) => m.conversations.append('c', [], js({ endOfinvocation: true }))],
    ['includetouched', 'includeTouched', (m) => m.watch(js({ includetouched: true }))],
    ['patience', 'patienceMs', (m) => m.watch({}, js({ patience: 5 }))],
    ['conflictpolicy', 'conflictPolicy', (m) => m.ingest([], js({ conflictpolicy: 'fail' }))],
    ['memories[0].txt', 'text', (m) => m.importMemories(js([{ txt: 'x' }]))],
    ['minrelevance', 'minRelevance', (m) => m.buildContext(js({ query: 'x', minrelevance: 0.5 }))],
    ['get', 'takes 2 arguments', (m) => m.get(...([js('x'), {}, { touch: true }] as unknown as ['x']))],
    [
      'filter.dryrun',
      'unknown option',
      (m) => m.raw(services.MemoryService.forgetMemories, { filter: js({ dryrun: 1 }) }),
    ],
    ['dryrun', 'dryRun', (m) => m.raw(services.MemoryService.forgetMemories, js({ all: true, dryrun: true }))],
    ['ignorecase', 'ignoreCase', () => where.text.equals('x', js({ ignorecase: true }))],
  ])('%s › is refused, with %s in the error', async (wrong, said, call) => {
    const { field, message } = await fieldOf(() => call(client(server.address, { namespace: 'a1-calls' })));

    expect(field).toBe(wrong);
    expect(message).toContain(said);
  });

  it('a memory of an answer › can be stored and imported again as it is', async () => {
    const mneme = client(server.address, { namespace: 'a1-copies' });
    await mneme.store({ id: 'first', text: 'as it was', source: { speaker: 'Ada' } });
    const other = mneme.withNamespace('a1-copied');

    await other.importMemories(mneme.exportMemories());
    const copy = await other.get('first');

    expect(copy).toMatchObject({ text: 'as it was', source: { speaker: 'Ada' } });
  });
});

describe('P9 options of constructors that do not exist are refused', () => {
  const connected = { client: undefined, address: '127.0.0.1:1' };
  it.each<[string, string, () => unknown]>([
    ['namespace', 'belongs in connect', () => new MnemeMemoryStore(js({ name: 'notes', namespace: 'tenant' }))],
    ['maxResults', 'known are name', () => new MnemeMemoryStore(js({ name: 'notes', maxResults: 5 }))],
    ['connect.namespce', 'namespace', () => new MnemeMemoryStore({ name: 'n', connect: js({ namespce: 'x' }) })],
    ['namespace', 'belongs in connect', () => new MemoryManager({ stores: js([{ name: 'n', namespace: 't' }]) })],
    [
      'injection.buildcontext',
      'buildContext',
      () => new MemoryManager({ stores: [], injection: js({ buildcontext: true }) }),
    ],
    ['namespace', 'belongs in connect', () => new MnemeStore(js({ ...connected, namespace: 'tenant' }))],
    ['timeout', 'known are', () => new MnemeSaver(js({ ...connected, timeout: 5 }))],
    ['sessionid', 'sessionId', () => new MnemeSession(js({ ...connected, sessionid: 's' }))],
    ['namespace', 'belongs in connect', () => new MnemeSession(js({ ...connected, namespace: 's' }))],
    ['cilent', 'client', () => new AgentMemoryAPI({}, js({ cilent: 1 }))],
    ['binry', 'binary', () => startServer(js({ binry: 'mneme' }))],
    ['namspace', 'namespace', () => connect('127.0.0.1:1', js({ namspace: 'x' }))],
    ['retry', 'true or false', () => connect('127.0.0.1:1', js({ retry: 'no' }))],
    ['tls.certificate', 'known are', () => connect('127.0.0.1:1', { tls: js({ certificate: 'x' }) })],
    ['callFrom.agenttype', 'agentType', () => connect('127.0.0.1:1', { callFrom: js({ agenttype: 'x' }) })],
    ['address', 'must be a text', () => connect(js({ namespace: 'x' }))],
  ])('%s › is refused, with %s in the error', async (wrong, said, construct) => {
    const { field, message } = await fieldOf(construct);

    expect(field).toBe(wrong);
    expect(message).toContain(said);
  });
});
