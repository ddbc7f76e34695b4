import { beforeEach, describe, expect, it } from '@jest/globals';
import { markOf } from '../campaign/entries.ts';
import type { Entry } from '../campaign/model.ts';
import { SentChanges } from '../campaign/sent-changes.ts';

const [first, second, third] = [1, 2, 3].map((number) => markOf(4, 0, number, 0)) as [string, string, string];

let changes: SentChanges;
beforeEach(() => {
  changes = new SentChanges();
});

function verify(effects: readonly (readonly [string, string | null])[], now: Record<string, string>): string[] {
  const entries = effects.map(([id, mark]): Entry => ({ id, mark }));
  return changes.verify(entries, (id) => now[id]).map(({ text }) => text);
}

describe('changes that a watcher was sent', () => {
  it('every change in its order › nothing is missed', () => {
    for (const mark of [first, second]) changes.add('a', mark);
    changes.add('b', null);
    const effects = [
      ['a', first],
      ['b', third],
      ['a', second],
      ['b', null],
    ] as const;
    expect(verify(effects, { a: second })).toEqual([]);
  });

  it('a change between two others was not sent › missed', () => {
    for (const mark of [first, third]) changes.add('a', mark);
    const effects = [first, second, third].map((mark) => ['a', mark] as const);
    expect(verify(effects, { a: third })).toEqual([expect.stringContaining(`the change to ${second} was not sent`)]);
  });

  it('the end of a memory was not sent › missed', () => {
    changes.add('a', first);
    expect(verify([['a', null]], {})).toEqual([
      expect.stringContaining('its end was not sent'),
      expect.stringContaining(`the last change is ${first}`),
    ]);
  });

  it('another order › missed', () => {
    for (const mark of [first, third, second, third]) changes.add('a', mark);
    const effects = [first, second, third].map((mark) => ['a', mark] as const);
    expect(verify(effects, { a: third })).toEqual([expect.stringContaining('wrong order')]);
  });

  it('a change that was not made was sent › missed', () => {
    changes.add('a', second);
    expect(verify([], { a: first })).toEqual([expect.stringContaining(`the last change is ${second}`)]);
  });

  it('each round › is compared by itself', () => {
    changes.add('a', first);
    expect(verify([['a', first]], { a: first })).toEqual([]);
    expect(verify([], { a: first })).toEqual([]);
  });
});
