import { describe, expect, it } from '@jest/globals';
import { admits } from '../../../src/memory/evaluate-filter.ts';
import { type ValidityView, validityFilter } from '../../../src/memory/validity.ts';
import { NamespaceColumns } from '../../../src/search/recall/namespace-columns.ts';
import type { ColumnRow } from '../../../src/search/recall/namespace-source.ts';
import { newMemory } from '../../support/new-memory.ts';
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

const at = (nowUs: number, validity: ValidityView = 'current') => ({ nowUs, validity });

describe('NamespaceColumns › sessions', () => {
  it('are linked in order of event time, then of storing, whatever was added and removed before', () => {
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

  it('is false for missing, expired and superseded memories', () => {
    expect([1, 2, 3, 4, 5000, 99_999].map((sequence) => columns.isCandidate(sequence, at(100)))).toEqual([
      false,
      false,
      false,
      false,
      true,
      false,
    ]);
  });

  it('is true for superseded memories when they are asked for, and until the instant of expiry', () => {
    expect(columns.isCandidate(3, at(0, 'any'))).toBe(true);
    expect(columns.isCandidate(2, at(99))).toBe(true);
  });
});

describe('NamespaceColumns › validity', () => {
  const random = seededRandom('columns validity');
  const maybe = (atUs: number) => (random.chance(0.4) ? undefined : atUs);
  const memories = Array.from({ length: 200 }, () => {
    const [eventAtUs, createdAtUs] = [random.int(10), random.int(10)];
    const [validFromUs, validUntilUs] = [maybe(random.int(5)), maybe(5 + random.int(5))];
    const supersededBy = random.chance(0.3) ? 'other' : undefined;
    return {
      ...newMemory({ id: 'a', eventAtUs, createdAtUs }),
      ...(validFromUs === undefined ? {} : { validFromUs }),
      ...(validUntilUs === undefined ? {} : { validUntilUs }),
      ...(supersededBy === undefined ? {} : { supersededBy }),
      namespace: 'n',
      revision: 1,
    };
  });
  const columns = new NamespaceColumns();
  for (const [place, { eventAtUs, createdAtUs, validFromUs, validUntilUs, supersededBy }] of memories.entries()) {
    const validity = {
      fromUs: validFromUs ?? -Infinity,
      knownFromUs: validFromUs ?? Math.min(eventAtUs, createdAtUs),
      untilUs: validUntilUs ?? Infinity,
    };
    columns.put(place + 1, row({ eventAtUs, superseded: supersededBy !== undefined, validity }));
  }

  it.each<ValidityView>(['current', 'any', { asOfUs: 3 }, { asOfUs: 7 }])('%j › is what the filter says', (view) => {
    for (let nowUs = 0; nowUs < 11; nowUs++) {
      const filter = validityFilter(view, nowUs);
      const byFilter = memories.map((memory) => filter === undefined || admits(filter, memory));
      expect(memories.map((_, place) => columns.isCandidate(place + 1, at(nowUs, view)))).toEqual(byFilter);
    }
  });

  it('turns › are the instants at which the candidates change', () => {
    const candidatesAt = (nowUs: number) =>
      memories.map((_, place) => columns.isCandidate(place + 1, at(nowUs))).join();
    for (let nowUs = 0; nowUs < 10; nowUs++) {
      const turnUs = columns.firstTurnUs(nowUs);
      for (let laterUs = nowUs; laterUs < Math.min(turnUs, 11); laterUs++) {
        expect(candidatesAt(laterUs)).toBe(candidatesAt(nowUs));
      }
    }
    const starts = memories.flatMap(({ validFromUs }) =>
      validFromUs !== undefined && validFromUs > 2 ? [validFromUs] : [],
    );
    expect(columns.firstStartUs(2)).toBe(Math.min(...starts));
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
