import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { transformSync } from '@swc/core';
import {
  ActionResult,
  type AgentState,
  BaseAgent,
  installMemoryHooks,
  recordInteraction,
  withMemory,
} from '../../../clients/typescript/src/agentmemory/index.ts';
import type { ServedMneme } from '../../cli/support/serve-mneme.ts';
import { cleanUp } from '../support/clean-up.ts';
import { actions, freshApi, memories, startVectorServer, steps } from './support.ts';

let server: ServedMneme;
beforeAll(async () => {
  server = await startVectorServer();
});
afterAll(() => server.stop());
afterEach(cleanUp);

/** Walks, and gets tired. */
class Walker extends BaseAgent {
  health = 1;
  acted = 0;

  constructor(agentId: string) {
    super(undefined, agentId);
  }

  override act(observation?: unknown): ActionResult {
    this.acted += 1;
    this.health -= 0.25;
    return new ActionResult({ action_type: 'walk', params: { to: observation }, reward: 0.5 });
  }

  override getState(): AgentState {
    const state = super.getState();
    state.health = this.health;
    return state;
  }
}

describe('agent memory hooks › an action', () => {
  it('is recorded › with its states, result and reward', async () => {
    const api = freshApi(server);
    const agent = withMemory(new Walker('walker'), undefined, { api });
    agent.act('north');
    agent.act('south');
    const [first, second] = await memories(api, 'walker', 'action');
    expect([first?.step_number, second?.step_number, agent.acted]).toEqual([0, 1, 2]);
    expect(first?.contents).toMatchObject({
      action_type: 'walk',
      action_params: { to: 'north' },
      reward: 0.5,
      state_before: { health: 1 },
      state_after: { health: 0.75 },
      observation: 'north',
      step_number: 0,
      // Health changes by 0.25, step_number by 1, of two numbers.
      state_change: 0.625,
    });
    expect(first?.contents['execution_time']).toBeGreaterThan(0);
    expect(first?.contents).not.toHaveProperty('error');
    expect(first?.metadata.importance_score).toBeCloseTo(0.5 * 0.5 + 0.5 * 0.625, 6);
    const states = await memories(api, 'walker', 'state');
    expect(states.map(({ step_number: step, contents }) => [step, contents['health']])).toEqual([
      [0, 1],
      [1, 0.75],
      [2, 0.5],
    ]);
    const history = await api.getAttributeChangeHistory('walker', 'health');
    expect(history.map((change) => change.new_value)).toEqual([1, 0.75, 0.5]);
  });

  it('that throws › is recorded, and its exception passed on', async () => {
    const api = freshApi(server);
    class Fails extends Walker {
      override act(observation?: unknown): ActionResult {
        super.act(observation);
        throw new RangeError('door');
      }
    }
    const agent = withMemory(new Fails('fails'), undefined, { api });
    for (let call = 0; call < 2; call += 1) expect(() => agent.act()).toThrow(new RangeError('door'));
    expect(agent.acted).toBe(2);
    const [first] = await actions(api, 'fails');
    expect(first).toMatchObject({ error: { type: 'RangeError', message: 'door', cancelled: false } });
    expect(first).toMatchObject({ state_after: { health: 0.75 } });
  });

  it('of an agent whose memory fails › goes on, and the failure is logged once a minute', async () => {
    const lines: string[] = [];
    const api = freshApi(server, { logger: ({ level, text }) => lines.push(`${level} ${text}`) });
    class Broken extends Walker {
      override getState(): AgentState {
        throw new Error('no state');
      }
    }
    const odd = {
      get secret(): string {
        throw new Error('no secret');
      },
    };
    const agent = withMemory(new Broken('broken'), undefined, { api });
    expect(agent.act(odd).params['to']).toBe(odd);
    agent.act('north');
    const [first, second] = await actions(api, 'broken');
    expect(first).toMatchObject({ state_before: null, state_after: null, observation: '<cannot be read>' });
    expect(second).toMatchObject({ observation: 'north' });
    expect(lines).toEqual(['WARNING something of agent broken was not recorded']);
  });

  it('with values that JSON cannot carry › is recorded with the nearest ones', async () => {
    const api = freshApi(server);
    const loop: unknown[] = [];
    loop.push(loop);
    class At {
      x = 1;
    }
    const state = {
      at: new At(),
      seen: new Set(['a']),
      map: new Map([['k', 1]]),
      floats: Float32Array.of(0.5, 1),
      bytes: new Uint8Array(3),
      nan: Number.NaN,
      big: 5n,
      when: new Date(0),
      gone: undefined,
      half: '\ud800',
    };
    const agent = { agentId: 'odd', act: (..._args: unknown[]) => loop, getState: () => state };
    withMemory(agent, undefined, { api }).act(1, { two: 2 });
    const [action] = await actions(api, 'odd');
    expect(action).toMatchObject({ observation: { args: [1, { two: 2 }] }, result: expect.any(Array) });
    expect(action?.['state_after']).toMatchObject({
      at: { x: 1 },
      seen: ['a'],
      map: { k: 1 },
      floats: [0.5, 1],
      bytes: '<3 bytes>',
      nan: null,
      big: 5,
      when: '1970-01-01T00:00:00.000Z',
    });
  });

  it('with objects that refer to each other › is recorded up to a limit, in a moment', async () => {
    const api = freshApi(server);
    const cell: Record<string, unknown> = {};
    for (const side of ['north', 'east', 'south', 'west']) cell[side] = cell;
    const agent = { agentId: 'tangled', act: () => 7, getState: () => ({ cell }) };
    expect(withMemory(agent, undefined, { api }).act()).toBe(7);
    const [action] = await actions(api, 'tangled');
    expect(action).toMatchObject({
      result: 7,
      state_after: { cell: { north: { north: {} }, west: '<too many objects>' } },
    });
  });

  it('of an agent that is frozen › has its result, and the step stays', async () => {
    const api = freshApi(server);
    class Fixed extends Walker {
      constructor() {
        super('fixed');
        Object.freeze(this);
      }
      override act(): ActionResult {
        return new ActionResult({ action_type: 'look' });
      }
    }
    const agent = new (installMemoryHooks({ api })(Fixed))();
    expect([agent.act().action_type, agent.stepNumber]).toEqual(['look', 0]);
    expect(await actions(api, 'fixed')).toMatchObject([{ action_type: 'look' }]);
  });

  it('with interactions › records them at its step', async () => {
    const api = freshApi(server);
    class Talks extends Walker {
      override act(observation?: unknown): ActionResult {
        this.recordInteraction({ interaction_type: 'said', content: 'inside' }, 0.3);
        const talk = { interaction_type: 'conversation', content: observation };
        return new ActionResult({ action_type: 'talk', interactions: [talk] });
      }
    }
    const agent = withMemory(new Talks('talks'), undefined, { api });
    agent.act('hello');
    agent.act('bye');
    recordInteraction(agent, { interaction_type: 'later' });
    recordInteraction(new Walker('plain'), { interaction_type: 'not hooked' });
    const found = await memories(api, 'talks', 'interaction');
    expect(found.map(({ step_number: step, contents }) => [step, contents['content']])).toEqual([
      [0, 'inside'],
      [0, 'hello'],
      [1, 'inside'],
      [1, 'bye'],
      [2, undefined],
    ]);
    expect(found[0]?.metadata.importance_score).toBe(0.3);
  });

  it('steps › are those of the agent where it advances them', async () => {
    const api = freshApi(server);
    class Counts {
      stepNumber = 10;
      act(advance: number): void {
        this.stepNumber += advance;
      }
    }
    const counts = withMemory(new Counts(), 'counts', { api });
    for (const advance of [5, 0, 1]) counts.act(advance);
    expect(steps(await memories(api, 'counts', 'action'))).toEqual([10, 15, 15]);
    expect(steps(await memories(api, 'counts', 'state'))).toEqual([10, 15, 16]);
    const stays = withMemory({ act: () => undefined }, 'stays', { api });
    for (let call = 0; call < 3; call += 1) stays.act();
    expect(steps(await memories(api, 'stays', 'action'))).toEqual([0, 1, 2]);
  });

  it('a state asked for outside of an action › is recorded when it is new', async () => {
    const api = freshApi(server);
    const agent = withMemory(new Walker('asked'), undefined, { api });
    agent.getState();
    agent.getState();
    agent.health = 0.125;
    agent.getState();
    const found = await memories(api, 'asked', 'state');
    expect(found.map(({ contents }) => contents['health'])).toEqual([1, 0.125]);
    expect(found.map(({ metadata }) => metadata.importance_score)).toEqual([0.5, 0.875]);
  });
});

describe('agent memory hooks › agents', () => {
  it('a class › is hooked with its subclasses, and once', async () => {
    const api = freshApi(server);
    const Decorated = installMemoryHooks({ api })(
      class Decorated extends Walker {
        override act(observation?: unknown): ActionResult {
          return super.act(observation);
        }
      },
    );
    class Sub extends Decorated {
      override act(observation?: unknown): ActionResult {
        const result = super.act(observation);
        result.params['sub'] = true;
        return result;
      }
    }
    expect([Decorated.name, installMemoryHooks(Decorated) === Decorated]).toEqual(['Decorated', true]);
    expect(withMemory(new Sub('again'), undefined, { api }).act('x').params).toEqual({ to: 'x', sub: true });
    new Sub('sub').act('north');
    new Decorated('plain').act('south');
    expect((await actions(api, 'sub')).map((each) => each['action_params'])).toEqual([{ to: 'north', sub: true }]);
    expect(await actions(api, 'plain')).toHaveLength(1);
    expect(await actions(api, 'again')).toHaveLength(1);
    expect(new Sub('x')).toBeInstanceOf(Walker);
  });

  it('an inherited method, a private field and an arrow function › are hooked; the class itself stays as it is', async () => {
    const api = freshApi(server);
    class Plain {
      readonly agentId = 'inherits';
      readonly #secret = 7;
      act(): number {
        return this.#secret;
      }
    }
    class Arrow {
      readonly agentId = 'arrow';
      act = () => 8;
    }
    const install = installMemoryHooks({ api });
    expect([new (install(class extends Plain {}))().act(), new Plain().act()]).toEqual([7, 7]);
    expect(new (install(Arrow))().act()).toBe(8);
    expect((await actions(api, 'inherits')).map((each) => each['result'])).toEqual([7]);
    expect((await actions(api, 'arrow')).map((each) => each['result'])).toEqual([8]);
  });

  it('the syntax of decorators › works, as ECMAScript has it and as TypeScript had it', async () => {
    const api = freshApi(server);
    const source = `
      @installMemoryHooks({ api }) class First { agentId = kind + '-first'; act(x: number) { return x; } }
      @installMemoryHooks class Second extends First { constructor() { super(); this.agentId = kind + '-second'; } }
      return [new First().act(1), new Second().act(2), First.name];`;
    for (const version of ['2022-03', '2021-12'] as const) {
      const legacy = version === '2021-12' ? { legacyDecorator: true } : { decoratorVersion: version };
      const { code } = transformSync(
        `export function run(installMemoryHooks: any, api: any, kind: string) {${source}}`,
        {
          jsc: { parser: { syntax: 'typescript', decorators: true }, target: 'es2022', transform: legacy },
          module: { type: 'commonjs' },
        },
      );
      const exported: { run?: (...args: unknown[]) => unknown } = {};
      (new Function('exports', code) as (exported: object) => void)(exported);
      const kind = `v${version}`;
      expect(exported.run?.(installMemoryHooks, api, kind)).toEqual([1, 2, 'First']);
      expect((await actions(api, `${kind}-first`)).map((each) => each['result'])).toEqual([1]);
      expect((await actions(api, `${kind}-second`)).map((each) => each['result'])).toEqual([2]);
    }
  });

  it('an instance › is enhanced in place, whatever it is', async () => {
    const api = freshApi(server);
    class Wood {
      wood = 0;
      act(): this {
        this.wood += 1;
        return this;
      }
    }
    const wood = new Wood();
    expect(withMemory(wood, 'itself', { api })).toBe(wood);
    expect([wood.act() === wood, wood.wood, Object.keys(wood), wood instanceof Wood]).toEqual([
      true,
      1,
      ['wood'],
      true,
    ]);
    const bare = Object.assign(Object.create(null) as { act(): number }, { act: () => 2 });
    expect(withMemory(withMemory(bare, 'bare', { api }), 'bare', { api }).act()).toBe(2);
    const [action] = await actions(api, 'itself');
    expect(action).toMatchObject({ state_before: { wood: 0 }, state_after: { wood: 1 } });
    expect(action).not.toHaveProperty('result');
    expect((await actions(api, 'bare')).map((each) => each['result'])).toEqual([2]);
    expect(Object.assign(new Wood(), wood).act().wood).toBe(2);
    expect(await actions(api, 'itself')).toHaveLength(1);
  });

  it('what cannot be an agent › is refused', () => {
    const api = freshApi(server);
    expect(() => withMemory([], undefined, { api })).toThrow('withMemory: [] has no method act');
    expect(() => withMemory({ act() {} }, '', { api })).toThrow('agentId: must be a text');
    expect(() => withMemory({ act() {} }, 'a', { api: 5 as never })).toThrow('api: must be an AgentMemoryAPI');
    expect(() => withMemory(Object.freeze({ act() {} }), 'a', { api })).toThrow('cannot be replaced');
    expect(() => installMemoryHooks(5 as never)).toThrow('must decorate a class');
    expect(() => installMemoryHooks({ api: 5 } as never)).toThrow('api: must be an AgentMemoryAPI');
    expect(() => installMemoryHooks((() => {}) as never)).toThrow('is no class');
  });
});
