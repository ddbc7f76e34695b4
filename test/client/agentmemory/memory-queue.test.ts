import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  ActionResult,
  AgentMemoryAPI,
  type AgentState,
  BaseAgent,
  type Fields,
  flushMemoryHooks,
  installMemoryHooks,
  MemoryConfig,
  MemoryConfigException,
  type MemorySpace,
  setDefaultApi,
  withMemory,
} from '../../../clients/typescript/src/agentmemory/index.ts';
import { type CallOptions, CancelledError, connect, type Mneme } from '../../../clients/typescript/src/index.ts';
import { type ServedMneme, serveMneme } from '../../cli/support/serve-mneme.ts';
import { freePort } from '../../support/free-port.ts';
import { cleanUp, onCleanUp, PATIENT } from '../support/clean-up.ts';
import { freshApi, only, startVectorServer } from './support.ts';

const run = promisify(execFile);
const INDEX = new URL('../../../clients/typescript/src/agentmemory/index.ts', import.meta.url).href;
const AWAY = { waitForReady: false, retry: false };

let server: ServedMneme;
beforeAll(async () => {
  server = await startVectorServer();
});
afterAll(() => server.stop());
afterEach(async () => {
  setDefaultApi(undefined);
  await cleanUp();
});

class Walker extends BaseAgent {
  health = 1;
  notes = '';

  constructor(agentId: string, config?: unknown) {
    super(config, agentId);
  }

  override act(observation?: unknown): ActionResult {
    this.health -= 0.25;
    return new ActionResult({ action_type: 'walk', params: { to: observation } });
  }

  override getState(): AgentState {
    const state = super.getState();
    state.health = this.health;
    if (this.notes !== '') state.extra_data['notes'] = this.notes;
    return state;
  }
}

async function observations(api: AgentMemoryAPI, agent: string): Promise<unknown[]> {
  const found = await api.getMemorySpace(agent).retrieveByTimeRange(0, 1_000_000, 'action');
  return found.map(({ contents }) => contents['observation']);
}

describe('agent memory hooks › the queue', () => {
  it('a server that is away for the whole run › leaves the agent alone, and what was not stored is said', async () => {
    const lines: string[] = [];
    const api = new AgentMemoryAPI({
      address: `127.0.0.1:${await freePort()}`,
      connect: AWAY,
      queueLimit: 50,
      logger: ({ text }) => lines.push(text),
    });
    const agent = withMemory(new Walker('alone'), undefined, { api });
    for (let step = 0; step < 40; step += 1) agent.act(step);
    expect(agent.stepNumber).toBe(40);
    const waiting = await api.flush(300);
    expect(waiting).toMatchObject({ stored: 0, pending: 50, notStored: 31, complete: false });
    expect(waiting.lastError).toEqual(expect.any(String));
    const closed = await api.close(50);
    expect(closed).toMatchObject({ stored: 0, pending: 0, notStored: 81, complete: false });
    expect(closed.failures).toHaveLength(81);
    expect(closed.failures[0]).toMatchObject({ agentId: 'alone', reason: 'the queue has 50 memories' });
    expect(new Set(closed.failures.map(({ memoryType }) => memoryType))).toEqual(new Set(['state', 'action']));
    expect(lines.join('\n')).toMatch(/50 memories wait: [\s\S]*; 81 in all/);
    agent.act('after');
    expect([agent.stepNumber, (await api.close()).notStored]).toEqual([41, 83]);
  });

  it('a server that comes back › gets everything in order, once', async () => {
    const address = `127.0.0.1:${await freePort()}`;
    const api = freshApi({ address }, { connect: { ...PATIENT, ...AWAY }, logger: () => {} });
    const agent = withMemory(new Walker('patient'), undefined, { api });
    for (let step = 0; step < 5; step += 1) agent.act(step);
    expect(await api.flush(100)).toMatchObject({ pending: 11 });
    const late = await serveMneme({ listen: address });
    onCleanUp(() => late.stop());
    expect(await api.flush(60_000)).toMatchObject({ stored: 11, complete: true });
    expect(await observations(api, 'patient')).toEqual([0, 1, 2, 3, 4]);
  });

  it('maintenance that does not end › ends with the API', async () => {
    const client = connect(server.address, { ...PATIENT, namespace: 'endless' });
    onCleanUp(() => client.close());
    const begun = Promise.withResolvers<void>();
    async function* maintainTiers(_: unknown, { signal }: CallOptions = {}): AsyncGenerator<never, void, undefined> {
      begun.resolve();
      await new Promise((resolve) => signal?.addEventListener('abort', resolve));
      throw new CancelledError('CANCELLED', 'ended');
    }
    const endless = Object.create(client, { admin: { value: { ...client.admin, maintainTiers } } }) as Mneme;
    const api = new AgentMemoryAPI({ cleanupInterval: 1, logger: () => {} }, { client: endless });
    withMemory(new Walker('maintained'), undefined, { api }).act('north');
    await begun.promise;
    expect(await api.close(50)).toMatchObject({ pending: 0, notStored: 0 });
  });

  it('a memory that is refused › does not hold up the others', async () => {
    const api = freshApi(server, { logger: () => {} });
    const agent = withMemory(new Walker('large'), undefined, { api });
    agent.act('x'.repeat(2 ** 20));
    agent.notes = 'x'.repeat(2 ** 20);
    agent.getState();
    agent.notes = '';
    agent.act('small');
    const report = await api.flush(60_000);
    expect(report).toMatchObject({ pending: 0, notStored: 1 });
    expect(report.failures).toMatchObject([{ memoryType: 'state', stepNumber: 1 }]);
    expect(report.failures[0]?.reason).toContain('exceed 1,048,576');
    expect(await observations(api, 'large')).toEqual(['<1,048,578 characters>', 'small']);
    // An agent that the server refuses.
    withMemory(new Walker('large'), 'o'.repeat(5_000), { api }).act('north');
    agent.act('again');
    expect(await api.flush(60_000)).toMatchObject({ pending: 0, notStored: 4 });
    expect(await observations(api, 'large')).toHaveLength(3);
  });

  it('a long run › has the statistics, tiers and changes of the same run counted by hand', async () => {
    const limits = { stmConfig: { memoryLimit: 50 }, imConfig: { memoryLimit: 100 }, cleanupInterval: 100 };
    const api = freshApi(server, limits);
    const agent = withMemory(new Walker('runner'), undefined, { api });
    const health = [1];
    for (let step = 0; step < 300; step += 1) {
      if (step % 7 === 0) agent.health = 1;
      if (health.at(-1) !== agent.health) health.push(agent.health);
      agent.act(step);
      health.push(agent.health);
    }
    const { stored, complete } = await api.flush(120_000);
    await api.forceMemoryMaintenance('runner');
    const stats = await api.getMemoryStatistics('runner');
    expect([stored, complete]).toEqual([stats.total_memories, true]);
    expect(stats).toMatchObject({ stm_count: 50, im_count: 100, ltm_count: stats.total_memories - 150 });
    expect(stats.memory_type_distribution['action']).toBe(300);
    const changes = await api.getAttributeChangeHistory('runner', 'health');
    expect(changes.map((change) => change.new_value)).toEqual(health);
    for (const [step, entry] of await api.getMemorySnapshots('runner', [0, 150, 300]))
      expect(entry?.contents).toMatchObject({ step_number: step });
  });

  it('the end of the process › stores what waits, and says what it could not', async () => {
    const program = (address: string, namespace: string) => `
      import { AgentMemoryAPI, withMemory } from '${INDEX}';
      const connect = { waitForReady: false, retry: false };
      const api = new AgentMemoryAPI({ address: '${address}', namespace: '${namespace}', connect });
      withMemory({ act: () => 7 }, 'ended', { api }).act();
      console.log('acted');`;
    const ended = (address: string, namespace: string) =>
      run(process.execPath, ['--no-warnings', '--input-type=module', '--eval', program(address, namespace)], {
        cwd: fileURLToPath(new URL('../../..', import.meta.url)),
      });
    const api = freshApi(server);
    expect(await ended(server.address, api.client.namespace)).toEqual({ stdout: 'acted\n', stderr: '' });
    expect(only(await api.retrieveRecentStates('ended', 10, 'action')).contents['result']).toBe(7);
    const away = await ended(`127.0.0.1:${await freePort()}`, 'n');
    expect(away).toMatchObject({ stdout: 'acted\n', stderr: expect.stringMatching(/were not stored[\s\S]*in all\n$/) });
  });
});

describe('agent memory hooks › where memories go', () => {
  it('the configuration of the agent › is used, and may turn hooks off', async () => {
    const options = { address: server.address, namespace: 'configured', connect: PATIENT };
    const Configured = installMemoryHooks(Walker);
    const off = new Configured('off', { memoryConfig: { ...options, enableMemoryHooks: false } });
    const on = new Configured('on', { memoryConfig: new MemoryConfig(options) });
    const same = new Configured('same', { memoryConfig: new MemoryConfig(options) });
    for (const agent of [off, on, same]) {
      agent.act('north');
      expect([agent.health, agent.stepNumber]).toEqual([0.75, 1]);
    }
    const reports = await flushMemoryHooks(60_000);
    expect(reports.map(({ stored }) => stored)).toContain(6);
    const api = freshApi(server, options);
    expect([await observations(api, 'on'), await observations(api, 'off')]).toEqual([['north'], []]);
  });

  it('the default API › is that which was set', async () => {
    const api = freshApi(server);
    setDefaultApi(api);
    withMemory(new Walker('default')).act('north');
    await api.flush(60_000);
    expect(await observations(api, 'default')).toEqual(['north']);
  });
});

describe('agent memory events', () => {
  it('hooks › are called by priority, once and in order; a failure is logged', async () => {
    const lines: string[] = [];
    const api = freshApi(server, { logger: ({ level, text }) => lines.push(`${level} ${text}`) });
    const called: string[] = [];
    const hook = (name: string, answer?: unknown) => (data: Fields, space: MemorySpace) => {
      called.push(`${name} ${String(data['what'])} ${space.agentId} ${typeof data['timestamp']}`);
      if (answer instanceof Error) throw answer;
      return answer;
    };
    const stored = { store_memory: true, memory_data: { critical: true }, step_number: 9, priority: 0.9 };
    const high = hook('high', Promise.resolve(stored));
    api.registerMemoryHook('a', 'critical', hook('low'), 1);
    api.registerMemoryHook('a', 'critical', hook('first'));
    api.registerMemoryHook('a', 'critical', hook('second', { store_memory: false, memory_data: {} }));
    api.getMemorySpace('a').registerMemoryHook('critical', high, 10);
    expect(await api.triggerMemoryEvent('a', 'critical', { what: 'fire' })).toBe(true);
    expect(called).toEqual(['high', 'first', 'second', 'low'].map((name) => `${name} fire a number`));
    const entry = only(await api.retrieveRecentStates('a'));
    expect(entry).toMatchObject({ contents: { critical: true }, step_number: 9, type: 'state' });
    expect(entry.metadata.importance_score).toBe(0.9);
    called.length = 0;
    api.registerMemoryHook('a', 'critical', hook('fails', new Error('hook')), 9);
    expect([1, 2].map(() => api.unregisterMemoryHook('a', 'critical', high))).toEqual([true, false]);
    expect(await api.getMemorySpace('a').triggerMemoryEvent('critical', { what: 'flood' })).toBe(false);
    expect(called).toEqual(['fails', 'first', 'second', 'low'].map((name) => `${name} flood a number`));
    expect(lines.join()).toContain('ERROR a hook of a for critical failed');
    expect(await api.triggerMemoryEvent('a', 'unknown')).toBe(false);
    expect(await api.triggerMemoryEvent('b', 'critical')).toBe(false);
  });

  const BAD: [unknown[], string][] = [
    [['', 'e', () => {}], 'agentId'],
    [['a', '', () => {}], 'eventType'],
    [['a', 'e', 5], 'hook'],
    [['a', 'e', () => {}, 0], 'priority'],
    [['a', 'e', () => {}, 11], 'priority'],
    [['a', 'e', () => {}, true], 'priority'],
  ];
  it.each(BAD)('%p › is refused as %s', (args, field) => {
    const api = freshApi(server);
    const register = () => Reflect.apply(api.registerMemoryHook.bind(api), undefined, args) as unknown;
    expect(register).toThrow(MemoryConfigException);
    expect(register).toThrow(expect.objectContaining({ context: expect.objectContaining({ field }) }));
  });
});
