import { describe, expect, it } from '@jest/globals';
import { compact } from '../../../src/memory/resolution/compact.ts';

const json = (text: string) => ({ mediaType: 'application/json', data: Buffer.from(text) });
const compacted = (text: string, dropKeys: string[], decimals?: number) => {
  const result = compact(json(text), { dropKeys, ...(decimals === undefined ? {} : { decimals }) });
  return result && { text: Buffer.from(result.content.data).toString(), ...result.loss };
};

describe('compact', () => {
  it('keys to drop › removed at any depth with their values, and recorded', () => {
    expect(
      compacted('{"a":{"trace":[1,2],"b":1},"trace":"x","list":[{"trace":null,"c":2}],"d":"trace"}', [
        'trace',
        'debug',
      ]),
    ).toEqual({
      text: '{"a":{"b":1},"list":[{"c":2}],"d":"trace"}',
      contentBytes: 81,
      droppedKeys: ['trace'],
    });
  });

  it('fractions › rounded; whole numbers, exponents and short ones stay as written', () => {
    expect(
      compacted('{"x":1.23456,"big":12345678901234567890,"e":1e-7,"short":0.50,"minus":-0.0004,"up":0.9996}', [], 3),
    ).toEqual({
      text: '{"x":1.235,"big":12345678901234567890,"e":1e-7,"short":0.50,"minus":0,"up":1}',
      contentBytes: 90,
      droppedKeys: [],
      decimals: 3,
    });
  });

  it('nothing to drop › nothing is rewritten', () => {
    expect(compacted('{"a":1, "b":0.125}', ['trace'], 3)).toBeUndefined();
    expect(compacted('{"x":1.23456}', ['trace'])).toBeUndefined();
    expect(compacted('{"x":', ['x'])).toBeUndefined();
    expect(compact(undefined, { dropKeys: ['x'] })).toBeUndefined();
    expect(compact({ mediaType: 'text/plain', data: Buffer.from('{"x":1}') }, { dropKeys: ['x'] })).toBeUndefined();
  });

  it('keys of the language › dropped like any other, and harmless', () => {
    expect(compacted('{"__proto__":{"a":1},"rawJSON":2,"b":3}', ['__proto__'])?.text).toBe('{"rawJSON":2,"b":3}');
    expect(compacted('{"rawJSON":2,"b":3.123}', ['rawJSON'], 1)?.text).toBe('{"b":3.1}');
  });
});
