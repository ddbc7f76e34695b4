import { describe, expect, it } from '@jest/globals';
import { OwnershipLock } from '../../../../src/storage/tiered/ownership-lock.ts';

/** Work that runs until it is released, and records its start and end in `told`. */
function workOf(told: string[], name: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const work = async (): Promise<string> => {
    told.push(`${name} begins`);
    await promise;
    told.push(`${name} ends`);
    return name;
  };
  return { work, end: resolve };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('HomeLock', () => {
  it('writes › run concurrently, and return their results', async () => {
    const [lock, told] = [new OwnershipLock(), [] as string[]];
    const [one, two] = [workOf(told, 'one'), workOf(told, 'two')];
    const answers = Promise.all([lock.keep('n', one.work), lock.keep('n', two.work)]);
    await settled();
    expect(told).toEqual(['one begins', 'two begins']);
    one.end();
    two.end();
    expect(await answers).toEqual(['one', 'two']);
  });

  it('a change of owners › waits for earlier writes, and delays later ones and other changes', async () => {
    const [lock, told] = [new OwnershipLock(), [] as string[]];
    const [write, change, later, second] = ['write', 'change', 'later', 'second'].map((name) => workOf(told, name)) as [
      ReturnType<typeof workOf>,
      ReturnType<typeof workOf>,
      ReturnType<typeof workOf>,
      ReturnType<typeof workOf>,
    ];
    const all = [lock.keep('n', write.work), lock.change('n', change.work), lock.keep('n', later.work)];
    all.push(
      lock.change('n', second.work),
      lock.keep('other', async () => 'other'),
    );
    await settled();
    expect(told).toEqual(['write begins']);
    write.end();
    await settled();
    expect(told.slice(1)).toEqual(['write ends', 'change begins']);
    change.end();
    later.end();
    second.end();
    await Promise.all(all);
    expect(told.slice(3, 4)).toEqual(['change ends']);
    expect(told).toHaveLength(8);
  });

  it('work that fails › releases the lock', async () => {
    const lock = new OwnershipLock();
    const fails = async () => {
      throw new Error('as it must');
    };
    await expect(lock.keep('n', fails)).rejects.toThrow('as it must');
    await expect(lock.change('n', fails)).rejects.toThrow('as it must');
    expect(await lock.change('n', async () => 'done')).toBe('done');
    expect(await lock.keep('n', async () => 'done')).toBe('done');
  });
});
