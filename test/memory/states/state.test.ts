import { describe, expect, it } from '@jest/globals';
import { comparedState, STATE_LIMITS, withVector } from '../../../src/memory/states/state.ts';

const placesOf = (json: unknown) => comparedState(json)?.leaves.map(({ place, kind }) => `${kind} ${place}`);
const sharesOf = (json: unknown, weights = {}) =>
  Object.fromEntries((comparedState(json, weights)?.leaves ?? []).map(({ place, share }) => [place, share]));

describe('comparedState', () => {
  it('has the numbers and labels of an object by place, and the share of its texts', () => {
    const state = { position: { x: 3, 'a/b': 4 }, mood: 'calm', isOpen: true, goal: null, note: 'two words' };
    expect(placesOf(state)).toEqual([
      'number /position/x',
      'number /position/a~1b',
      'label /mood',
      'label /isOpen',
      'label /goal',
    ]);
    expect(comparedState(state)?.textShare).toBeCloseTo(1 / 5, 12);
  });

  it('divides each share equally among the members of an object or array', () => {
    expect(sharesOf({ position: [1, 2], health: 3 })).toEqual({
      '/position/0': 0.25,
      '/position/1': 0.25,
      '/health': 0.5,
    });
    const shares = Object.values(sharesOf({ a: { b: [{ c: 1 }, { c: 2, d: 3 }] }, e: 4, f: [] }));
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
  });

  it('gives a weighted value a larger share', () => {
    expect(sharesOf({ a: 1, b: 2 }, { b: 1 })).toEqual({ '/a': 1 / 5, '/b': 4 / 5 });
    expect(sharesOf({ p: { x: 1, y: 2 }, q: 3 }, { 'p.x': 1 / 3 })).toEqual({
      '/p/x': 1 / 3,
      '/p/y': 1 / 6,
      '/q': 0.5,
    });
    expect(sharesOf({ a: 1, b: 2 }, { b: 1000 })).toEqual({ '/a': 1 / 32, '/b': 31 / 32 });
  });

  it('reads an array of labels as a set, and numbers and objects by their index', () => {
    expect(placesOf({ bag: ['wood', 'key', 5, { n: 1 }], empty: [], nothing: {} })).toEqual([
      'label /bag/*',
      'label /bag/*',
      'number /bag/2',
      'number /bag/3/n',
      'label /empty/*',
      'label /nothing',
    ]);
  });

  it('compares labels without regard to case and surrounding space', () => {
    const labelOf = (value: unknown) => comparedState({ a: value })?.leaves[0]?.value;
    expect(labelOf(' Calm ')).toBe(labelOf('calm'));
    const different = ['calm', 'storm', '', true, false, null, 'true', 'null', [], {}];
    expect(new Set(different.map((value) => `${placesOf({ a: value })} ${labelOf(value)}`)).size).toBe(
      different.length,
    );
  });

  it('reads a number that is not finite as a label', () => {
    expect(placesOf(JSON.parse('{"a": 1e999}'))).toEqual(['label /a']);
  });

  it('is bounded', () => {
    const wide = { a: Array.from({ length: 1000 }, (_, index) => index) };
    expect(comparedState(wide)?.leaves).toHaveLength(STATE_LIMITS.elements);
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${index}`, index]));
    expect(comparedState(many)?.leaves).toHaveLength(STATE_LIMITS.leaves);
    expect(comparedState({ a: 'x'.repeat(STATE_LIMITS.labelLength + 1) })).toEqual({ leaves: [], textShare: 1 });
  });

  it.each([[undefined], [null], [3], ['text'], [[1, 2]]])('%j is no state', (json) => {
    expect(comparedState(json)).toBeUndefined();
  });

  it('leaves at least half of the state to a vector of its own', () => {
    const { leaves, textShare } = withVector({ leaves: comparedState({ a: 1, b: 2 })?.leaves ?? [], textShare: 0 });
    expect([textShare, ...leaves.map(({ share }) => share)]).toEqual([0.5, 0.25, 0.25]);
    expect(withVector({ leaves: [], textShare: 0.7 }).textShare).toBe(0.7);
  });
});
