import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

/** `| L1 hazard | answer | RPCs | tests |` */
const ROW = /^\| ([LW]\d+) [^|]+ \| [^|]+ \| ([^|]+) \| ([^|]+) \|$/gm;
const HAZARDS = { L: 30, W: 33 };

const rows = [...readFileSync('docs/parity.md', 'utf8').matchAll(ROW)].map(([, id = '', rpcs = '', tests = '']) => ({
  id,
  rpcs: [...rpcs.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
  tests: tests.split('; `').map((test) => {
    const [, file = '', name = ''] = /^`?([^`]+)`(?:: (.+))?$/.exec(test) ?? [];
    return { file, name };
  }),
}));
const protos = readdirSync('proto/mneme/v1').map((file) => readFileSync(`proto/mneme/v1/${file}`, 'utf8'));

describe('the table of hazards', () => {
  it('answers each of them, once', () => {
    const expected = Object.entries(HAZARDS).flatMap(([letter, count]) =>
      Array.from({ length: count }, (_, at) => `${letter}${at + 1}`),
    );
    expect(rows.map(({ id }) => id)).toEqual(expected);
  });

  it.each(rows)('$id names methods and tests that are there', ({ rpcs, tests }) => {
    expect(rpcs.length).toBeGreaterThan(0);
    for (const rpc of rpcs) expect([rpc, protos.some((proto) => proto.includes(`rpc ${rpc}(`))]).toEqual([rpc, true]);
    expect(tests.length).toBeGreaterThan(0);
    for (const { file, name } of tests) expect(readFileSync(file, 'utf8')).toContain(name);
  });
});
