import { expect, it } from '@jest/globals';
import { memoriesOf } from '../../../src/search/recall/learned-lane.ts';
import { NamespaceColumns } from '../../../src/search/recall/namespace-columns.ts';
import { seededRandom } from '../../support/random.ts';

it('memories of a time are the newest of all, found in however many blocks', () => {
  const random = seededRandom('event times');
  for (const count of [1, 500, 3000, 6000]) {
    const columns = new NamespaceColumns();
    const put = (at: number, eventAtUs: number): void => {
      const row = { key: at, session: '', speaker: '', eventAtUs, importance: 0, superseded: false };
      columns.put(at, { ...row, expiresAtUs: Number.POSITIVE_INFINITY });
    };
    for (let at = 1; at <= count; at++) put(at, random.chance(0.01) ? random.int(10_000) : at);
    for (let i = 0; i < count / 20; i++) columns.remove(1 + random.int(count));
    for (let i = 0; i < count / 50; i++) put(1 + random.int(count), random.int(10_000));
    for (let round = 0; round < 40; round++) {
      const spans = Array.from({ length: 1 + random.int(2) }, () => {
        const fromUs = random.int(9000);
        return { fromUs, untilUs: fromUs + 1 + random.int(300) };
      });
      const isAllowed = random.chance(0.5) ? (sequence: number) => sequence % 3 > 0 : undefined;
      const expected: number[] = [];
      for (let at = columns.end - 1; at > 0 && expected.length < 100; at--) {
        const atUs = columns.eventAtUs(at);
        const isOfTime = columns.has(at) && spans.some(({ fromUs, untilUs }) => fromUs <= atUs && atUs < untilUs);
        if (isOfTime && isAllowed?.(at) !== false) expected.push(at);
      }
      expect(memoriesOf(spans, columns, isAllowed)).toEqual(expected);
    }
    expect(memoriesOf([], columns, undefined)).toEqual([]);
  }
});
