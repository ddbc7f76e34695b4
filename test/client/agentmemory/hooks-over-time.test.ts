import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { BaseAgent, type Fields, withMemory } from '../../../clients/typescript/src/agentmemory/index.ts';
import type { ServedMneme } from '../../cli/support/serve-mneme.ts';
import { cleanUp } from '../support/clean-up.ts';
import { actions, freshApi, startVectorServer } from './support.ts';

let server: ServedMneme;
beforeAll(async () => {
  server = await startVectorServer();
});
afterAll(() => server.stop());
afterEach(cleanUp);

describe('agent memory hooks › actions that take their time', () => {
  it('an asynchronous action › is recorded when it is over, with asynchronous states', async () => {
    const api = freshApi(server);
    class Soon {
      readonly agentId = 'soon';
      health = 1;
      async act(observation: string): Promise<string> {
        await Promise.resolve();
        if (observation === 'stop') throw new DOMException('stopped', 'AbortError');
        this.health -= 0.25;
        return observation.toUpperCase();
      }
      async getState(): Promise<Fields> {
        await Promise.resolve();
        return { health: this.health };
      }
    }
    const agent = withMemory(new Soon(), undefined, { api });
    expect(await agent.act('one')).toBe('ONE');
    expect(await Promise.all([agent.act('two'), agent.act('three')])).toEqual(['TWO', 'THREE']);
    await expect(agent.act('stop')).rejects.toThrow('stopped');
    const found = await actions(api, 'soon');
    expect(found.map((each) => each['observation'])).toEqual(['one', 'two', 'three', 'stop']);
    expect(found[0]).toMatchObject({ state_before: { health: 1 }, state_after: { health: 0.75 }, result: 'ONE' });
    expect(found[3]).toMatchObject({ error: { type: 'AbortError', message: 'stopped', cancelled: true } });
  });

  it('generators › keep their protocol', async () => {
    const api = freshApi(server);
    class Yields extends BaseAgent {
      override *act(observation?: unknown): Generator<string, string, string | undefined> {
        const said = yield `first ${observation}`;
        try {
          yield `second ${said}`;
        } catch {
          yield 'caught';
        }
        return 'done';
      }
    }
    const agent = withMemory(new Yields(undefined, 'yields'), undefined, { api });
    agent.act('never begun').return('');
    const items = agent.act('a');
    expect([items.next(), items.next('b'), items.throw(new Error('x'))].map(({ value }) => value)).toEqual([
      'first a',
      'second b',
      'caught',
    ]);
    expect(items.next()).toEqual({ value: 'done', done: true });
    for (const item of agent.act('c')) {
      expect([item, agent.getState().step_number]).toEqual(['first c', 1]); // Between two items the agent is free.
      break;
    }
    expect([...agent.act('d')]).toEqual(['first d', 'second undefined']);
    const [one, other] = await actions(api, 'yields');
    expect(one).toMatchObject({ yielded: ['first a', 'second b', 'caught'], yield_count: 3, result: 'done' });
    expect(other).toMatchObject({ yielded: ['first c'], error: { type: 'GeneratorExit', cancelled: true } });
  });

  it('asynchronous generators › keep their protocol', async () => {
    const api = freshApi(server);
    class Streams {
      readonly agentId = 'streams';
      async *act(observation: string): AsyncGenerator<string, void, string | undefined> {
        const said = yield `first ${observation}`;
        await Promise.resolve();
        try {
          yield `second ${said}`;
        } catch {
          yield 'caught';
        }
      }
    }
    const agent = withMemory(new Streams(), undefined, { api });
    const items = agent.act('a');
    const seen = [await items.next(), await items.next('b'), await items.throw(new Error('x'))];
    expect(seen.map(({ value }) => value)).toEqual(['first a', 'second b', 'caught']);
    expect(await items.next()).toEqual({ value: undefined, done: true });
    for await (const item of agent.act('c')) {
      expect(item).toBe('first c');
      break;
    }
    const [one, other] = await actions(api, 'streams');
    expect(one).toMatchObject({ yielded: ['first a', 'second b', 'caught'] });
    expect(one).not.toHaveProperty('error');
    expect(other).toMatchObject({ yielded: ['first c'], error: { type: 'GeneratorExit' } });
  });

  it('a plain function › may return what is to come; a thenable of its own is not run', async () => {
    const api = freshApi(server);
    let runs = 0;
    const query = {
      // biome-ignore lint/suspicious/noThenProperty: the test is about such an object.
      then(done: (value: number) => void) {
        runs += 1;
        done(5);
      },
    };
    const agent = withMemory({ act: (made: unknown) => made }, 'later', { api });
    expect(await agent.act(Promise.resolve(1))).toBe(1);
    const numbers = function* () {
      yield 3;
      yield 4;
    };
    expect([...(agent.act(numbers()) as Generator<number>)]).toEqual([3, 4]);
    expect(agent.act(query)).toBe(query);
    expect(runs).toBe(0);
    expect(await query).toBe(5);
    expect(runs).toBe(1);
    const found = await actions(api, 'later');
    expect(found.map((each) => each['result'] ?? each['yielded'])).toEqual([1, [3, 4], undefined]);
  });

  it('a nested action › is part of the outer one', async () => {
    const api = freshApi(server);
    class Nested {
      readonly agentId = 'nested';
      async act(depth: number): Promise<number> {
        await Promise.resolve();
        return depth === 0 ? 0 : 1 + (await this.act(depth - 1));
      }
    }
    expect(await withMemory(new Nested(), undefined, { api }).act(3)).toBe(3);
    expect((await actions(api, 'nested')).map((each) => each['result'])).toEqual([3]);
  });
});
