import { expect, test } from '@jest/globals';
import { validate, version } from 'uuid';
import { idSource } from '../../../src/server/new-id.ts';

test('idSource › returns ids of version 7 that ascend while the clock stands still, is set back and continues', () => {
  let nowMs = 1_700_000_000_000;
  const newId = idSource(() => nowMs);
  const ids: string[] = [];
  for (let made = 0; made < 2000; made++) {
    if (made === 500) nowMs -= 1000;
    if (made >= 1000 && made % 3 === 0) nowMs += 800;
    ids.push(newId());
  }
  expect(ids.every((id) => validate(id) && version(id) === 7)).toBe(true);
  expect(ids).toEqual([...new Set(ids)].sort());
  expect(ids[0]?.startsWith('018bcfe5-6800-7')).toBe(true);
});

test('idSource › draws other random bits for each source', () => {
  const [one, other] = [idSource(() => 5), idSource(() => 5)];
  const tails = Array.from({ length: 600 }, (_, at) => (at % 2 === 0 ? one() : other()).slice(-10));
  expect(new Set(tails).size).toBe(600);
});
