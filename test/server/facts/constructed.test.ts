import { expect, it } from '@jest/globals';
import { isSingleValued, normalValue } from '../../../src/memory/facts/fact-key.ts';
import { forgetFacts } from '../../../src/server/operations/facts/amend-facts.ts';
import type { Statement } from '../../../src/server/operations/facts/assert-facts.ts';
import { type ListFactsRequest, listFacts } from '../../../src/server/operations/facts/read-facts.ts';
import { sized } from '../../support/all-tests.ts';
import { seededRandom, type TestRandom } from '../../support/random.ts';
import { call } from '../operations/support.ts';
import { DAY_US, FactBench, NOWHERE, SPACE, START_US } from './support.ts';

/*
 * Thousands of statements in any order, from a seed that is printed: values that resemble each other, subjects that
 * resemble each other, repetitions in other words, times out of order. What is current, what was so and what was known is
 * compared with an oracle that knows nothing of timelines: of all statements of a key it takes the latest before an instant.
 */

const STATEMENTS = sized({ sample: 2000, nightly: 10_000 });
const SUBJECTS = Array.from({ length: 120 }, (_, at) => `Person ${at} ${at % 2 === 0 ? 'Silva' : 'Silver'}`);
const ATTRIBUTES = ['home_city', 'employer', 'favorite_color', 'job_title', 'likes', 'speaks', 'owns', 'visited'];
const VALUES = Array.from({ length: 14 }, (_, at) => `Value ${'abcdefg'[at % 7]}${at < 7 ? '' : ' north'}`);

interface Said extends Partial<Statement> {
  readonly subject: string;
  readonly attribute: string;
  readonly value: string;
  readonly validFromUs: number;
  readonly recordedUs: number;
}

it(`${STATEMENTS} statements in any order › current, as_of and supersession are those of the oracle`, async () => {
  const bench = await FactBench.open('in-memory');
  const random = seededRandom('constructed facts');
  const said = statements(random);
  for (let from = 0; from < said.length; from += 50) {
    const batch = said.slice(from, from + 50);
    bench.clock.us = batch[0]?.recordedUs ?? 0;
    await bench.assert(...batch);
  }
  bench.clock.us += DAY_US;
  const oracle = new Oracle(said);

  expect(await valuesByKey(bench)).toEqual(oracle.valuesByKey(bench.clock.us));
  for (let at = 0; at < 12; at++) {
    const validAtUs = START_US + random.int(400) * DAY_US;
    const recordedAtUs = at % 2 === 0 ? undefined : said[random.int(said.length)]?.recordedUs;
    const asked = { validAtUs, recordedAtUs };
    expect(await valuesByKey(bench, asked)).toEqual(oracle.valuesByKey(validAtUs, recordedAtUs));
  }
  await resurrections(bench, said);
  await bench.close();
});

/** Values of every key that has any, in order. */
async function valuesByKey(bench: FactBench, request: Partial<ListFactsRequest> = {}): Promise<Map<string, string[]>> {
  const values = new Map<string, string[]>();
  for (let after: ListFactsRequest['after']; ; ) {
    const page = await listFacts(
      bench.deps,
      { namespace: SPACE, includesSuperseded: false, limit: 1000, ...request, ...(after && { after }) },
      call,
    );
    for (const { fact } of page.facts) {
      const key = `${fact.subject}/${fact.key.attribute}`;
      values.set(key, [...(values.get(key) ?? []), fact.value].sort());
    }
    after = page.next;
    if (!after) return new Map([...values].sort());
  }
}

/** Forgets a part, and has everything said again. */
async function resurrections(bench: FactBench, said: readonly Said[]): Promise<void> {
  const forgotten = SUBJECTS.filter((_, at) => at % 10 === 0);
  for (const subject of forgotten) {
    await forgetFacts(bench.deps, { namespace: SPACE, ids: [], scope: NOWHERE, subject, dryRun: false }, call);
  }
  bench.clock.us += DAY_US;
  const again = said.filter(({ subject }) => forgotten.includes(subject));
  for (let from = 0; from < again.length; from += 50) {
    await bench.assert(...again.slice(from, from + 50));
    const echoes = again
      .slice(from, from + 50)
      .map((one) => ({ ...one, trust: 'assistant' as const, validFromUs: bench.clock.us }));
    await bench.assert(...echoes);
  }
  for (const subject of forgotten) expect(await bench.values({ subject, includesSuperseded: true })).toEqual([]);
}

function statements(random: TestRandom): Said[] {
  return Array.from({ length: STATEMENTS }, (_, at): Said => {
    const value = random.pick(VALUES);
    const subject = random.pick(SUBJECTS);
    return {
      scope: NOWHERE,
      subject,
      attribute: random.pick(ATTRIBUTES),
      value,
      // No two statements of a key have the same words and time.
      text: `It was said, as number ${at}, that it is ${value}.`,
      confidence: 0.5 + random.int(40) / 100,
      validFromUs: START_US + random.int(365) * DAY_US + at,
      sources: [`turn/${at}`],
      trust: 'user',
      isExplicit: false,
      recordedUs: START_US + 500 * DAY_US + Math.floor(at / 50) * 1_000_000,
    };
  });
}

/** Of all statements of a key, the latest before an instant counts; of attributes with several values all of them. */
class Oracle {
  private readonly byKey: Map<string, Said[]>;

  constructor(said: readonly Said[]) {
    this.byKey = Map.groupBy(said, ({ subject, attribute }) => `${subject}/${attribute}`);
  }

  valuesByKey(validUs: number, recordedUs = Number.POSITIVE_INFINITY): Map<string, string[]> {
    const all = [...this.byKey].map(([key, said]) => [key, valuesOf(said, validUs, recordedUs)] as const);
    return new Map(
      all
        .filter(([, values]) => values.length > 0)
        .sort()
        .map(([key, values]) => [key, [...values]]),
    );
  }
}

function valuesOf(said: readonly Said[], validUs: number, recordedUs: number): readonly string[] {
  const known = said.filter((one) => one.recordedUs <= recordedUs && one.validFromUs <= validUs);
  if (!isSingleValued(said[0]?.attribute ?? '')) return [...new Set(known.map(({ value }) => value))].sort();
  const latest = known.toSorted((one, other) => one.validFromUs - other.validFromUs).at(-1);
  return latest ? [latest.value] : [];
}

it('values that resemble each other › are different values', () => {
  expect(new Set(VALUES.map(normalValue)).size).toBe(VALUES.length);
});
