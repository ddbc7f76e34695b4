import { describe, expect, it } from '@jest/globals';
import type { RefusedCalls } from '../../../../src/memory/audit-record.ts';
import { RefusedCallRecorder } from '../../../../src/server/audit/refused-calls.ts';

const OUTCOME = 'PERMISSION_MISSING';

/** A recorder of lines in memory, whose disk can fail. */
function recorder() {
  const lines: RefusedCalls[] = [];
  const failures: unknown[] = [];
  const disk = { isFull: false };
  const made = new RefusedCallRecorder(
    async (calls) => {
      if (disk.isFull) throw new Error('the disk is full');
      lines.push(calls);
    },
    (error) => failures.push(error),
  );
  let callCount = 0;
  const refuse = (identity: string, namespace = 'n', method = 'mneme.v1.MemoryService/DeleteMemory') => {
    const names = [`namespaces/${namespace}/memories/m`];
    made.add({ call: `c${++callCount}`, identity, method, namespace, names, request: 'r' }, OUTCOME);
  };
  return { made, refuse, lines, failures, disk };
}

describe('refused calls', () => {
  it('the first one of an identity and a method › has a line at once, with its names', async () => {
    const { made, refuse, lines } = recorder();
    refuse('mallory');
    expect(lines).toEqual([
      {
        call: 'c1',
        identity: 'mallory',
        method: 'mneme.v1.MemoryService/DeleteMemory',
        namespace: 'n',
        names: ['namespaces/n/memories/m'],
        request: 'r',
        outcome: OUTCOME,
        callCount: 1,
      },
    ]);
    await made.close();
    expect(lines).toHaveLength(1);
  });

  it('a flood of them › has one further line in a period, with the number of calls and up to 20 namespaces', async () => {
    const { made, refuse, lines } = recorder();
    for (let at = 0; at < 100_000; at++) refuse('mallory', `n${at % 50}`);
    expect(lines).toHaveLength(1);
    await made.flush();

    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatchObject({ call: 'c100000', identity: 'mallory', namespace: '', callCount: 99_999 });
    expect(lines[1]?.names).toEqual(Array.from({ length: 20 }, (_, at) => `namespaces/n${at + 1}`));
    refuse('mallory');
    expect(lines).toHaveLength(3);
    await made.close();
  });

  it('of one namespace › the shared line has it', async () => {
    const { made, refuse, lines } = recorder();
    for (let at = 0; at < 3; at++) refuse('mallory');
    await made.close();
    expect(lines[1]).toMatchObject({ namespace: 'n', names: [], callCount: 2 });
  });

  it('of more than 100 pairs of identity and method › further ones share a line without identity', async () => {
    const { made, refuse, lines } = recorder();
    for (let at = 0; at < 150; at++) refuse(`i${at}`);
    refuse('i0');
    await made.flush();

    expect(lines).toHaveLength(102);
    expect(lines.slice(100)).toMatchObject([
      { identity: 'i0', callCount: 1 },
      { identity: '', method: '', namespace: 'n', callCount: 50 },
    ]);
    await made.close();
  });

  it('that cannot be written › are counted until they can, and reported', async () => {
    const { made, refuse, lines, failures, disk } = recorder();
    disk.isFull = true;
    refuse('mallory');
    refuse('mallory');
    await made.flush();
    expect(failures).toHaveLength(2);
    await expect(made.close()).rejects.toThrow('2 refused calls could not be recorded');
    disk.isFull = false;
    await made.close();

    expect(lines).toMatchObject([{ identity: 'mallory', callCount: 2, outcome: OUTCOME }]);
  });
});
