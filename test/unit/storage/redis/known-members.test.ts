import { describe, expect, it } from '@jest/globals';
import { KnownMembers } from '../../../../src/storage/redis/keyspace-reader.ts';

describe('KnownMembers', () => {
  it('numbers of the same id in two keyspaces › are kept apart, and the latest counts', () => {
    const members = new KnownMembers();
    members.note('one', 'a', 1);
    members.note('other', 'a', 2);
    members.note('one', 'a', 3);

    expect([members.sequenceOf('one', 'a'), members.sequenceOf('other', 'a')]).toEqual([3, 2]);
    expect([members.sequenceOf('one', 'b'), members.sequenceOf('third', 'a')]).toEqual([undefined, undefined]);
  });

  it('more than the limit › requested ones stay, the others are evicted', () => {
    const members = new KnownMembers();
    members.note('room', 'used', 1);
    members.note('room', 'unused', 2);
    for (let at = 0; at < 300_000; at++) {
      members.note('room', `m${at}`, at);
      if (at % 1000 === 0) members.sequenceOf('room', 'used');
    }

    expect([members.sequenceOf('room', 'used'), members.sequenceOf('room', 'unused')]).toEqual([1, undefined]);
    expect(members.sequenceOf('room', 'm299999')).toBe(299_999);
  });
});
