import { globSync, readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from '@jest/globals';

/** `| L1 hazard | answer | RPCs | tests |` */
const ROW = /^\| ([LW]\d+) [^|]+ \| [^|]+ \| ([^|]+) \| ([^|]+) \|$/gm;
const HAZARDS = { L: 30, W: 33 };

const rows = [...readFileSync('docs/parity.md', 'utf8').matchAll(ROW)].map(([, id = '', rpcs = '', tests = '']) => ({
  id,
  rpcs: [...rpcs.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
  tests: testsOf(tests),
}));
const STRANDS =
  /^\| ((?:manager|extraction|model extractor|resolver|injection|spans|file store)[^|]*) \| [^|]+ \| ([^|]*) ?\|$/gm;
const behaviours = [...readFileSync('docs/parity.md', 'utf8').matchAll(STRANDS)].map(([, name = '', tests = '']) => ({
  name,
  tests: testsOf(tests),
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

describe('the table of the memory manager of Strands', () => {
  it('is read', () => {
    expect(behaviours.length).toBeGreaterThan(15);
  });

  it.each(behaviours)('$name › names tests that are there', ({ tests }) => {
    for (const { file, name } of tests) expect(readFileSync(file, 'utf8')).toContain(name);
  });
});

/** Files and titles of tests in a cell of a table. */
function testsOf(cell: string): { readonly file: string; readonly name: string }[] {
  if (cell.trim() === '') return [];
  return cell.split('; `').map((test) => {
    const [, file = '', name = ''] = /^`?([^`]+)`(?:: (.+))?$/.exec(test.trim()) ?? [];
    return { file, name };
  });
}

/** Rows of the tables of calls: `| call | served by | tests |` */
const CALLS = /^\| ([^|]+) \| ([^|]+) \| ([^|]*) ?\|$/gm;
const isHead = (call: string) => /^(Behaviours|Call|Strategy or call|What is asked|-+)$/.test(call.trim());
const calls = [...readFileSync('docs/parity.md', 'utf8').matchAll(CALLS)]
  .filter(([, call = '']) => !isHead(call))
  .map(([, call = '', servedBy = '', tests = '']) => ({ call: call.trim(), servedBy, tests }));
const testFiles = new Set(globSync('test/**/*.ts').map((path) => path.replaceAll('\\', '/')));
const testNames = new Set([...testFiles].map((path) => basename(path)));

/** `CamelCase` in backticks, with a field behind it perhaps: a method, service, message or enum of the API. */
const NAMES = /`([A-Z][a-z]+(?:[A-Z][a-z]+)*)(?:\.(\w+))?`/g;

describe('the tables of calls', () => {
  it('are read', () => {
    expect(calls.length).toBeGreaterThan(75);
  });

  it.each(calls)('$call › names existing parts of the API, and existing test files', ({ servedBy, tests }) => {
    for (const [, name = '', field] of servedBy.matchAll(NAMES)) {
      const declared = new RegExp(`\\b(rpc|service|message|enum) ${name}\\b`);
      const proto = protos.find((text) => declared.test(text));
      expect([name, proto !== undefined]).toEqual([name, true]);
      if (field !== undefined) expect(proto).toMatch(new RegExp(`\\b${field}\\b`));
    }
    for (const [, file = ''] of tests.matchAll(/`([\w./-]+\.ts)`/g)) {
      const isThere = file.startsWith('test/') ? testFiles.has(file) : testNames.has(basename(file));
      expect([file, isThere]).toEqual([file, true]);
    }
  });
});
