import { describe, expect, it } from '@jest/globals';
import { NamespaceColumns } from '../../../src/recall/namespace-columns.ts';
import type { ColumnRow } from '../../../src/recall/namespace-source.ts';
import { seededRandom } from '../../support/random.ts';

function row(changes: Partial<ColumnRow> = {}): ColumnRow {
  return {
    key: 0,
    session: 's',
    speaker: '',
    eventAtUs: 0,
    importance: 0.5,
    expiresAtUs: Number.POSITIVE_INFINITY,
    superseded: false,
    ...changes,
  };
}

describe('NamespaceColumns › sessions', () => {
  it('are chained in order of event time, then of storing, whatever was put and removed before', () => {
    const random = seededRandom('namespace-columns');
    const columns = new NamespaceColumns();
    const expected = new Map<number, ColumnRow>();
    for (let round = 0; round < 3000; round++) {
      const sequence = 1 + random.int(200);
      if (random.chance(0.3)) {
        columns.remove(sequence);
        expected.delete(sequence);
      } else {
        const put = row({ session: random.pick(['a', 'b', 'c', '']), eventAtUs: random.int(20) });
        columns.put(sequence, put);
        expected.set(sequence, put);
      }
    }
    expect(columns.size).toBe(expected.size);
    for (const session of ['a', 'b', 'c']) {
      const order = [...expected]
        .filter(([, { session: of }]) => of === session)
        .sort(([a, one], [b, other]) => one.eventAtUs - other.eventAtUs || a - b)
        .map(([sequence]) => sequence);
      order.forEach((sequence, place) => {
        expect(columns.neighbor(sequence, 1)).toBe(order[place + 1] ?? -1);
        expect(columns.neighbor(sequence, -1)).toBe(order[place - 1] ?? -1);
        expect(columns.neighbor(sequence, 2)).toBe(order[place + 2] ?? -1);
      });
    }
    for (const [sequence, { session }] of expected) {
      if (session === '') expect([columns.neighbor(sequence, 1), columns.neighbor(sequence, -1)]).toEqual([-1, -1]);
    }
  });
});

describe('NamespaceColumns › isCandidate', () => {
  const columns = new NamespaceColumns();
  columns.put(1, row());
  columns.put(2, row({ expiresAtUs: 100 }));
  columns.put(3, row({ superseded: true }));
  columns.put(5000, row());
  columns.remove(1);

  it('is false for what is not there, has expired or is superseded', () => {
    expect([1, 2, 3, 4, 5000, 99_999].map((sequence) => columns.isCandidate(sequence, 100, false))).toEqual([
      false,
      false,
      false,
      false,
      true,
      false,
    ]);
  });

  it('is true for superseded memories when they are asked for, and until the instant of expiry', () => {
    expect(columns.isCandidate(3, 0, true)).toBe(true);
    expect(columns.isCandidate(2, 99, false)).toBe(true);
  });
});

describe('NamespaceColumns › speakers', () => {
  it('are named by their words, also in the genitive, but not by their role', () => {
    const columns = new NamespaceColumns();
    columns.put(1, row({ speaker: 'Caroline Meyer' }));
    columns.put(2, row({ speaker: 'user' }));
    const caroline = columns.speakerOf(1);
    expect([...columns.speakers.named(new Set(['carolines', 'dog']))]).toEqual([caroline]);
    expect([...columns.speakers.named(new Set(['user']))]).toEqual([]);
    columns.remove(1);
    expect([...columns.speakers.named(new Set(['meyer']))]).toEqual([]);
  });

  it('are not people when there are more than 25 of them', () => {
    const columns = new NamespaceColumns();
    for (let at = 1; at <= 26; at++) columns.put(at, row({ speaker: `place${at}` }));
    expect(columns.speakers.named(new Set(['place3'])).size).toBe(0);
    columns.remove(26);
    expect(columns.speakers.named(new Set(['place3'])).size).toBe(1);
  });
});
