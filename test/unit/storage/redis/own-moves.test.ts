import { expect, it } from '@jest/globals';
import { OwnMoves } from '../../../../src/storage/redis/keyspace-writer.ts';

it('OwnMoves › knows ranges that contain only moves, adjacent ones as one, and none with a gap', () => {
  const moves = new OwnMoves();
  expect(moves.has(10, 20)).toBe(false);
  moves.note(10, 20);
  moves.note(20, 30);
  moves.note(31, 40);
  expect([moves.has(10, 30), moves.has(15, 25), moves.has(31, 40)]).toEqual([true, true, true]);
  expect([moves.has(9, 30), moves.has(10, 31), moves.has(25, 35), moves.has(40, 41)]).toEqual([
    false,
    false,
    false,
    false,
  ]);
  moves.forget();
  expect(moves.has(15, 25)).toBe(false);
});

it('OwnMoves › many ranges › the newest are known', () => {
  const moves = new OwnMoves();
  for (let at = 0; at < 1000; at++) moves.note(10 * at, 10 * at + 5);
  expect([moves.has(9990, 9995), moves.has(0, 5)]).toEqual([true, false]);
});
