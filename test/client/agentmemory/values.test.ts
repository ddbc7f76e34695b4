import { describe, expect, it } from '@jest/globals';
import { clearCaches, setDefaultTtl } from '../../../clients/typescript/src/agentmemory/cache.ts';
import { failingAs } from '../../../clients/typescript/src/agentmemory/errors.ts';
import {
  ActionData,
  ActionResult,
  AgentState,
  AutoencoderConfig,
  cacheable,
  MemoryAPIException,
  MemoryConfig,
  MemoryConfigException,
  MemoryMaintenanceException,
  MemoryRetrievalException,
  MemoryStoreException,
  makeHashable,
  RedisIMConfig,
  RedisSTMConfig,
  SQLiteLTMConfig,
} from '../../../clients/typescript/src/agentmemory/index.ts';
import { stateImportance } from '../../../clients/typescript/src/agentmemory/models.ts';
import {
  DataLossError,
  InvalidArgumentError,
  NotFoundError,
  UnavailableError,
} from '../../../clients/typescript/src/index.ts';

const thrownBy = (error: unknown) => (error instanceof MemoryAPIException ? error : undefined);

describe('agent memory API › models', () => {
  it('a state as an object › has the fields with a value, copied', () => {
    const state = new AgentState({
      agent_id: 'a',
      step_number: 3,
      health: 0.5,
      extra_data: { inventory: { wood: 5 } },
    });
    const fields = { agent_id: 'a', step_number: 3, health: 0.5, extra_data: { inventory: { wood: 5 } } };
    expect(state.asDict()).toEqual(fields);
    expect(JSON.parse(JSON.stringify(state))).toEqual(fields);
    (state.asDict()['extra_data'] as { inventory: { wood: number } }).inventory.wood = 9;
    expect(state.extra_data).toEqual({ inventory: { wood: 5 } });
  });

  it('unknown fields › go into extra_data', () => {
    const state = new AgentState({ agent_id: 'a', mood: 'calm', extra_data: { tired: false } });
    expect(state.extra_data).toEqual({ tired: false, mood: 'calm' });
    const result = new ActionResult({
      action_type: 'trade',
      params: { item: 'wood' },
      reward: 0.5,
      outcome: 'success',
    });
    expect(result.extra_data).toEqual({ outcome: 'success' });
    expect([new ActionResult({ action_type: 'wait' }).reward, new AgentState({ agent_id: 'a' }).step_number]).toEqual([
      0, 0,
    ]);
  });

  const BAD: [new (fields: never) => unknown, object, string][] = [
    [AgentState, { agent_id: '' }, 'agent_id'],
    [AgentState, { agent_id: 5 }, 'agent_id'],
    [AgentState, {}, 'agent_id'],
    [AgentState, { agent_id: 'a', step_number: -1 }, 'step_number'],
    [AgentState, { agent_id: 'a', step_number: 1.5 }, 'step_number'],
    [AgentState, { agent_id: 'a', health: 'well' }, 'health'],
    [AgentState, { agent_id: 'a', position_x: Number.POSITIVE_INFINITY }, 'position_x'],
    [AgentState, { agent_id: 'a', extra_data: [1] }, 'extra_data'],
    [ActionResult, { action_type: '' }, 'action_type'],
    [ActionResult, { action_type: 'a', params: [1] }, 'params'],
    [ActionResult, { action_type: 'a', reward: Number.NaN }, 'reward'],
    [ActionData, { action_type: 'a', execution_time: -1 }, 'execution_time'],
    [ActionData, { action_type: 'a', state_before: 5 }, 'state_before'],
  ];
  it.each(BAD.map(([Model, fields, field], place) => ({ Model, fields, field, place })))(
    'field $field of case $place › is refused by its name',
    ({ Model, fields, field }) => {
      expect(() => new Model(fields as never)).toThrow(`${Model.name}.${field}: must be `);
    },
  );

  it('a field that is set › is checked', () => {
    const state = new AgentState({ agent_id: 'a' });
    expect(() => {
      state.step_number = -1;
    }).toThrow('AgentState.step_number: must be ');
    state.health = 0.25;
    expect([state.step_number, state.asDict()['health']]).toEqual([0, 0.25]);
  });

  it('the difference of states › has signs and numbers only', () => {
    const state_before = { health: 1, wood: 5, name: 'a', alive: true };
    const state_after = { health: 0.5, wood: 7, name: 'b', alive: false };
    const data = new ActionData({ action_type: 'trade', state_before, state_after });
    expect(data.getStateDifference()).toEqual({ health: -0.5, wood: 2 });
    expect(new ActionData({ action_type: 'wait' }).getStateDifference()).toEqual({});
  });

  it('the importance of a difference › is the mean of the changes', () => {
    const found = [
      stateImportance({}, {}),
      stateImportance({}, { a: 1 }),
      stateImportance({ a: 1 }, {}),
      stateImportance({ a: 'x' }, { a: 'y' }),
      stateImportance({ a: 10, b: 0 }, { a: 5, b: 0 }),
      stateImportance({ a: 0 }, { a: 99 }),
      stateImportance({ alive: true }, { alive: false }),
    ];
    expect(found).toEqual([0.5, 1, 1, 0.5, 0.25, 1, 1]);
  });
});

describe('agent memory API › exceptions', () => {
  const KINDS = [MemoryStoreException, MemoryRetrievalException, MemoryMaintenanceException, MemoryConfigException];
  it.each(KINDS)('%p › has reason, context and recoverability', async (Kind) => {
    const metadata = { name: 'namespaces/n/memories/m' };
    const gone = new NotFoundError('NOT_FOUND', 'no such memory', { reason: 'MEMORY_NOT_FOUND', metadata });
    const error = await failingAs(Kind, 'get', { agentId: 'a' }, () => Promise.reject(gone)).catch(thrownBy);
    expect(error).toBeInstanceOf(MemoryAPIException);
    expect(error).toMatchObject({ name: Kind.name, message: 'get: no such memory', reason: 'MEMORY_NOT_FOUND' });
    expect(error).toMatchObject({ recoverability: 'recoverable', recoverable: true, cause: gone });
    expect(error?.context).toEqual({ operation: 'get', agentId: 'a', ...metadata, code: 'NOT_FOUND' });
  });

  it('recoverability › is that of the cause', async () => {
    const of = async (cause: Error) => {
      const error = await failingAs(MemoryStoreException, 'store', {}, () => Promise.reject(cause)).catch(thrownBy);
      return [error?.reason, error?.recoverability, error?.recoverable];
    };
    expect(await of(new UnavailableError('UNAVAILABLE', 'away'))).toEqual([
      'UNAVAILABLE',
      'potentially_recoverable',
      true,
    ]);
    const damaged = new DataLossError('DATA_LOSS', 'bytes', { reason: 'CHECKSUM_MISMATCH' });
    expect(await of(damaged)).toEqual(['CHECKSUM_MISMATCH', 'fatal', false]);
    const violations = [{ field: 'x', description: 'bad' }];
    const bad = new InvalidArgumentError('INVALID_ARGUMENT', 'x: bad', { violations });
    expect(await of(bad)).toEqual(['FIELD_INVALID', 'recoverable', true]);
  });
});

describe('agent memory API › configuration options', () => {
  it('defaults › are those of the upstream library, and set nothing in the server', () => {
    const config = new MemoryConfig();
    expect([config.cleanupInterval, config.memoryPriorityDecay]).toEqual([100, 0.95]);
    expect([config.stmConfig.memoryLimit, config.stmConfig.ttl]).toEqual([10_000, 3_600]);
    expect([config.imConfig.memoryLimit, config.imConfig.ttl]).toEqual([50_000, 86_400]);
    expect([config.ltmConfig.whitelistedTypes, config.enableMemoryHooks]).toEqual([['*'], true]);
    expect(config.settings()).toEqual({});
  });

  it('options › become settings of the server', () => {
    const config = new MemoryConfig({
      memoryPriorityDecay: 0.9,
      stmConfig: new RedisSTMConfig({ host: 'localhost', port: 6379, memoryLimit: 500, ttl: 90 }),
      imConfig: { memoryLimit: 900, ttl: 0.5 },
      ltmConfig: new SQLiteLTMConfig({ compressionLevel: 7, whitelistedTypes: ['state', 'action'] }),
      autoencoderConfig: new AutoencoderConfig({ imDim: 128, ltmDim: 32 }),
    });
    expect(config.settings()).toEqual({
      'importance.decay_factor': '0.9',
      'short_term.memory_limit': '500',
      'short_term.ttl': '90000ms',
      'intermediate.memory_limit': '900',
      'intermediate.ttl': '500ms',
      'long_term.compression_level': '7',
      'long_term.types': 'state,action',
      'intermediate.vector_dimension': '128',
      'long_term.vector_dimension': '32',
    });
    config.ltmConfig.whitelistEnabled = false;
    expect(config.settings()['long_term.types']).toBe('none');
  });

  const UNMAPPED: [new (options: never) => object, string, unknown, unknown][] = [
    [RedisSTMConfig, 'host', 'redis.example', 'localhost'],
    [RedisSTMConfig, 'port', 6380, 6379],
    [RedisSTMConfig, 'db', 3, 0],
    [RedisSTMConfig, 'namespace', 'mine', 'agent-stm'],
    [RedisSTMConfig, 'password', 'secret', null],
    [RedisSTMConfig, 'useMock', true, false],
    [RedisIMConfig, 'db', 0, 1],
    [SQLiteLTMConfig, 'dbPath', '/tmp/ltm.db', './ltm.db'],
    [SQLiteLTMConfig, 'batchSize', 50, 100],
    [SQLiteLTMConfig, 'tablePrefix', 'other', 'ltm'],
    [SQLiteLTMConfig, 'whitelistedFields', ['health'], ['*']],
    [AutoencoderConfig, 'inputDim', 128, 64],
    [AutoencoderConfig, 'useNeuralEmbeddings', true, false],
    [AutoencoderConfig, 'modelPath', './mine.pt', './models/autoencoder.pt'],
    [AutoencoderConfig, 'embeddingType', 'text', 'autoencoder'],
  ];
  it.each(UNMAPPED)('%p › %s has no equivalent, so %p is refused', (Config, option, value, accepted) => {
    const made = () => new Config({ [option]: value } as never);
    expect(made).toThrow(MemoryConfigException);
    expect(made).toThrow(`${option}: has no equivalent in Mneme`);
    expect(new Config({ [option]: accepted } as never)).toMatchObject({ [option]: accepted });
  });

  const BAD: [object, string][] = [
    [{ cleanupInterval: 0 }, 'cleanupInterval'],
    [{ cleanupInterval: true }, 'cleanupInterval'],
    [{ memoryPriorityDecay: 1.5 }, 'memoryPriorityDecay'],
    [{ memoryPriorityDecay: Number.NaN }, 'memoryPriorityDecay'],
    [{ loggingLevel: 'loud' }, 'loggingLevel'],
    [{ logger: 5 }, 'logger'],
    [{ stmConfig: { ttl: 0 } }, 'stmConfig.ttl'],
    [{ stmConfig: { memoryLimit: -1 } }, 'stmConfig.memoryLimit'],
    [{ stmConfig: 5 }, 'stmConfig'],
    [{ imConfig: { ttl: '1h' } }, 'imConfig.ttl'],
    [{ ltmConfig: { compressionLevel: 20 } }, 'ltmConfig.compressionLevel'],
    [{ ltmConfig: { whitelistedTypes: [] } }, 'ltmConfig.whitelistedTypes'],
    [{ autoencoderConfig: { imDim: 32, ltmDim: 64 } }, 'autoencoderConfig.ltmDim'],
    [{ stmConfig: { memoryLimt: 5 } }, 'stmConfig.memoryLimt'],
    [{ constructor: 5 }, 'constructor'],
  ];
  it.each(BAD)('%j › is refused as %s', (options, field) => {
    const made = () => new MemoryConfig(options);
    expect(made).toThrow(`${field}: `);
    expect(made).toThrow(expect.objectContaining({ name: 'MemoryConfigException', context: { field } }));
  });

  it('an unknown option › names the nearest', () => {
    const made = () => new MemoryConfig({ cleanupIntervall: 5 } as never);
    expect(made).toThrow('cleanupIntervall: is not an option; the nearest is cleanupInterval');
    expect(() => new RedisSTMConfig({ zzz: 1 } as never)).toThrow('known are');
  });

  it('changes › are merged and checked as a whole', () => {
    const config = new MemoryConfig({ cleanupInterval: 7, stmConfig: { memoryLimit: 300 } });
    const changed = config.changed({ 'stmConfig.ttl': 60, imConfig: { memoryLimit: 2_000 } });
    expect([changed.cleanupInterval, changed.stmConfig.memoryLimit, changed.stmConfig.ttl]).toEqual([7, 300, 60]);
    expect([changed.imConfig.memoryLimit, config.stmConfig.isGiven('ttl')]).toEqual([2_000, false]);
    expect(() => config.changed({ cleanupInterval: 8, 'stmConfig.ttl': 0 })).toThrow('stmConfig.ttl: ');
    expect(new MemoryConfig(config.asDict()).asDict()).toEqual(config.asDict());
  });
});

describe('agent memory API › cacheable', () => {
  it('a result › is kept for its time, by the arguments', () => {
    let nowMs = 0;
    let calls = 0;
    const search = cacheable(60, { clock: () => nowMs })(
      (agent: string, query: string) => `${agent} ${query} ${++calls}`,
    );
    expect([search('a', 'wood'), search('a', 'wood'), search('a', 'stone')]).toEqual([
      'a wood 1',
      'a wood 1',
      'a stone 2',
    ]);
    nowMs = 59_900;
    expect(search('a', 'wood')).toBe('a wood 1');
    nowMs = 60_000;
    expect([search('a', 'wood'), search.name]).toEqual(['a wood 3', '']);
  });

  it('the least recently used › goes first', () => {
    const calls: number[] = [];
    const double = cacheable(60, { maxEntries: 2 })((number: number) => calls.push(number));
    for (const number of [1, 2, 1, 3, 1]) double(number);
    expect(calls).toEqual([1, 2, 3]);
    double(2);
    expect(calls).toEqual([1, 2, 3, 2]);
  });

  it('keys › have types, and take values of any kind', () => {
    let calls = 0;
    const seen = cacheable(60)((_value: unknown) => ++calls);
    const kinds = [1, 1n, true, '1', [1], new Set([1]), { 1: 1 }, new Map([[1, 1]]), null, undefined, Symbol.for('1')];
    expect(kinds.map(seen)).toEqual(kinds.map((_, place) => place + 1));
    expect(kinds.map(seen)).toEqual(kinds.map((_, place) => place + 1));
    expect(makeHashable({ a: [1, { b: 2 }], c: new Set([3]) })).toBe(
      makeHashable({ c: new Set([3]), a: [1, { b: 2 }] }),
    );
    expect(makeHashable(Float32Array.of(1, 2))).toBe(makeHashable(Float32Array.of(1, 2)));
    expect(makeHashable(Float32Array.of(1, 2))).not.toBe(makeHashable(Float64Array.of(1, 2)));
    expect(makeHashable(new Date(5))).toBe(makeHashable(new Date(5)));
    expect(makeHashable(['a', 'b'])).not.toBe(makeHashable(['a","b']));
    class Own {}
    const own = new Own();
    expect(makeHashable(own)).toBe(makeHashable(own));
    expect(makeHashable(own)).not.toBe(makeHashable(new Own()));
    const loop: unknown[] = [];
    loop.push(loop);
    calls = 0;
    expect([seen(loop), seen(loop)]).toEqual([1, 2]);
    expect(() => makeHashable(loop)).toThrow('contains itself');
  });

  it('methods › are kept by object', () => {
    class Agent {
      readonly name: string;
      calls = 0;
      find = cacheable(60)((at: { x: number }) => `${this.name} ${at.x} ${++this.calls}`);
      static readonly look = cacheable(60)(function (this: Agent, number: number) {
        return `${this.name} ${number} ${++this.calls}`;
      });

      constructor(name: string) {
        this.name = name;
      }
    }
    const [one, two] = [new Agent('one'), new Agent('two')];
    expect([one.find({ x: 1 }), one.find({ x: 1 }), two.find({ x: 1 })]).toEqual(['one 1 1', 'one 1 1', 'two 1 1']);
    expect([Agent.look.call(one, 2), Agent.look.call(one, 2), Agent.look.call(two, 2)]).toEqual([
      'one 2 2',
      'one 2 2',
      'two 2 2',
    ]);
  });

  it('promises › are kept when they are fulfilled', async () => {
    const calls: string[] = [];
    const find = cacheable(60)(async (query: string) => {
      calls.push(query);
      if (query === 'bad') throw new Error(query);
      return query.toUpperCase();
    });
    expect([await find('wood'), await find('wood')]).toEqual(['WOOD', 'WOOD']);
    for (let call = 0; call < 2; call += 1) await expect(find('bad')).rejects.toThrow('bad');
    expect(calls).toEqual(['wood', 'bad', 'bad']);
  });

  it('results › are not shared', async () => {
    const found = cacheable(60)(() => ({ steps: [1] }));
    const soon = cacheable(60)(async () => [{ steps: new Set([1]) }]);
    found().steps.push(2);
    found().steps.push(3);
    (await soon())[0]?.steps.add(2);
    expect([found(), await soon()]).toEqual([{ steps: [1] }, [{ steps: new Set([1]) }]]);
  });

  it('clearing › removes results, also that of a call under way', () => {
    let value = 'old';
    const read = cacheable(60)((clear: boolean) => {
      const before = value;
      if (clear) {
        value = 'new';
        clearCaches();
      }
      return before;
    });
    expect([read(true), read(true)]).toEqual(['old', 'new']);
    read.clearCache();
    value = 'newer';
    expect(read(false)).toBe('newer');
  });

  it('the default time › applies where none is given', () => {
    let nowMs = 0;
    let calls = 0;
    const count = cacheable(undefined, { clock: () => nowMs })(() => ++calls);
    try {
      count();
      setDefaultTtl(5);
      nowMs = 5_000;
      expect(count()).toBe(2);
    } finally {
      setDefaultTtl(60);
    }
    nowMs = 60_000;
    expect(count()).toBe(2);
  });

  it('bad input › is refused', () => {
    for (const ttl of [0, -1, Number.NaN, '60', true]) {
      expect(() => cacheable(ttl as never)).toThrow('ttl: must be a number of seconds above 0');
      expect(() => setDefaultTtl(ttl as never)).toThrow(MemoryConfigException);
    }
    expect(() => cacheable(60, { maxEntries: 0 })).toThrow('maxEntries: ');
    expect(() => cacheable(60)(function* each() {})).toThrow('each is a generator');
  });
});
