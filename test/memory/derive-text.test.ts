import { describe, expect, it } from '@jest/globals';
import { clipToBytes, derivedTextOf, deriveText } from '../../src/memory/derive-text.ts';
import { MnemeError } from '../../src/memory/errors.ts';
import { jsonDepth } from '../../src/memory/json.ts';

const of = (mediaType: string, text: string | Buffer) => deriveText({ mediaType, data: Buffer.from(text) });

describe('deriveText', () => {
  it.each([
    ['{"a":1,"b":["x",{"c":false}],"d":null}', 'a 1 b x c false d'],
    ['{"2":"two","1":"one"}', '2 two 1 one'],
    ['{"a":1,"a":2}', 'a 1 a 2'],
    ['[1e400, -0.10, 12345678901234567890]', '1e400 -0.10 12345678901234567890'],
    ['{"say \\"hi\\"":"tab\\tand \\ud83d\\ude00"}', 'say "hi" tab\tand 😀'],
    ['"\\ud800 half"', '\ufffd half'],
    ['" [not, {an} array] "', ' [not, {an} array] '],
    ['{"__proto__":{"constructor":"x"}}', '__proto__ constructor x'],
    ['{}', ''],
    ['"back\\\\"', 'back\\'],
  ])('when the content is %s › returns keys and values in reading order', (json, text) => {
    expect(of('application/json', json)).toBe(text);
  });

  it('when the content is a text › returns it without byte-order mark and NUL', () => {
    expect(of('text/plain', '\ufeffgrüß\0gott')).toBe('grüß gott');
    expect(of('TEXT/HTML;charset=utf-8', '<b>')).toBe('<b>');
  });

  it('when the content is of another format › returns an empty text', () => {
    expect(of('image/png', 'x')).toBe('');
  });

  it('when the text is over the limit › cuts it at a character', () => {
    expect(of('text/plain', `a${'🙂'.repeat(20_000)}`)).toBe(`a${'🙂'.repeat(20_000)}`);
    expect(of('text/plain', `a${'🙂'.repeat(300_000)}`) === `a${'🙂'.repeat(262_143)}`).toBe(true);
    expect(of('application/json', JSON.stringify(Array(30_000).fill('word'))).length).toBe(65_536);
  });

  it('when the bytes are not UTF-8 › names the field', () => {
    const content = { mediaType: 'text/plain', data: Buffer.from([0xff]) };

    expect(() => derivedTextOf(content, 'memory.content.data')).toThrow(MnemeError);
    expect(() => derivedTextOf(content, 'memory.content.data')).toThrow('memory.content.data: must be valid UTF-8');
  });
});

describe('jsonDepth', () => {
  it.each([
    ['1', 0],
    ['{}', 1],
    ['[[],[[]]]', 3],
    ['"[[[["', 0],
    ['{"a\\"[[":[1]}', 2],
    ['"\\\\"', 0],
    ['["\\\\",[]]', 2],
  ])('%s › %i', (json, depth) => {
    expect(jsonDepth(Buffer.from(json))).toBe(depth);
  });
});

describe('clipToBytes', () => {
  it('when the text fits › returns it unchanged, otherwise the longest prefix', () => {
    expect(clipToBytes('äöü', 6)).toBe('äöü');
    expect(clipToBytes('äöü', 5)).toBe('äö');
    expect(clipToBytes('😀', 3)).toBe('');
  });
});
