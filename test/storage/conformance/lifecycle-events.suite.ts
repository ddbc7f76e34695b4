import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { LifecycleEvents } from '../../../src/storage/lifecycle-events.ts';
import { because } from './memory-store/store-of-test.ts';

export interface LifecycleEventsSubject {
  readonly name: string;
  create(): Promise<{ events: LifecycleEvents; close(): Promise<void> }>;
}

const NOW_US = 1_800_000_000_000_000;

/** Contract of all `LifecycleEvents`. */
export function lifecycleEventsSuite({ name, create }: LifecycleEventsSubject): void {
  describe(`lifecycle events (${name})`, () => {
    let events: LifecycleEvents;
    let close: () => Promise<void>;
    beforeEach(async () => {
      ({ events, close } = await create());
    });
    afterEach(() => close());

    const append = (body: string, atUs = NOW_US, namespace = 'a') => events.append({ namespace, body, atUs });
    const bodies = async (afterSequence: number, limit = 100, namespace = 'a') =>
      (await events.read({ namespace, afterSequence, limit })).map(({ body }) => body);
    const acknowledge = (consumer: string, sequence: number, consumersMax = 10) =>
      events.acknowledge({ namespace: 'a', consumer, sequence, consumersMax, atUs: NOW_US });

    it('appended › are read in order, after any of them, unchanged', async () => {
      const odd = '{"text":"naïve 🙂 : \\n:1:"}';
      const first = await append(odd);
      const second = await append('2');
      await append('3');

      expect(second).toBeGreaterThan(first);
      expect(await bodies(0)).toEqual([odd, '2', '3']);
      expect(await bodies(first)).toEqual(['2', '3']);
      expect(await bodies(0, 2)).toEqual([odd, '2']);
      expect(await events.ends('a')).toMatchObject({ newest: expect.any(Number), forgotten: 0 });
    });

    it('of namespaces with similar names › are kept apart', async () => {
      await append('1', NOW_US, 'a');
      await append('2', NOW_US, 'a:b');

      expect(await bodies(0, 10, 'a')).toEqual(['1']);
      expect(await bodies(0, 10, 'a:b')).toEqual(['2']);
      expect(await bodies(0, 10, 'none')).toEqual([]);
      expect(await events.ends('none')).toEqual({ newest: 0, forgotten: 0 });
    });

    it('many at once › each has a sequence of its own, and none is missing', async () => {
      const sequences = await Promise.all(Array.from({ length: 50 }, (_, at) => append(`${at}`)));

      expect(new Set(sequences).size).toBe(50);
      expect((await bodies(0)).length).toBe(50);
    });

    it('erased by age › a reader before them gets an error, a reader after them continues', async () => {
      const old = await append('old', NOW_US - 10);
      await append('new', NOW_US);
      const erased = await events.erase({ beforeUs: NOW_US, limit: 100 });

      expect(erased).toBe(1);
      expect(await events.ends('a')).toMatchObject({ forgotten: old });
      await expect(bodies(old - 1)).rejects.toMatchObject(because('REVISION_COMPACTED'));
      expect(await bodies(old)).toEqual(['new']);
    });

    it('erased when the clock had gone back › leave no gap', async () => {
      await append('first', NOW_US + 100);
      const second = await append('second', NOW_US - 100);
      await append('third', NOW_US + 100);
      await events.erase({ beforeUs: NOW_US, limit: 100 });

      expect((await events.ends('a')).forgotten).toBe(second);
      expect(await bodies(second)).toEqual(['third']);
    });

    it('acknowledged › positions never go back, and are kept for each consumer', async () => {
      await acknowledge('one', 5);
      await acknowledge('two', 2);

      expect(await acknowledge('one', 3)).toBe(5);
      expect(await events.acknowledged({ namespace: 'a', consumer: 'one' })).toBe(5);
      expect(await events.acknowledged({ namespace: 'a', consumer: 'two' })).toBe(2);
      expect(await events.acknowledged({ namespace: 'a', consumer: 'three' })).toBeUndefined();
    });

    it('acknowledged by more consumers than the limit › HOOKS_FULL; known consumers continue', async () => {
      await acknowledge('one', 1, 1);

      await expect(acknowledge('two', 1, 1)).rejects.toMatchObject(because('HOOKS_FULL'));
      expect(await acknowledge('one', 2, 1)).toBe(2);
    });

    it('of an erased namespace › are erased with its consumers', async () => {
      await append('1');
      await acknowledge('one', 1);
      await events.eraseNamespace('a');

      expect(await bodies(0)).toEqual([]);
      expect(await events.acknowledged({ namespace: 'a', consumer: 'one' })).toBeUndefined();
    });

    it('announced › wake listeners, until these stop', async () => {
      const heard: string[] = [];
      const stop = events.onEvent((namespace) => heard.push(namespace));
      events.announce('a');
      stop();
      events.announce('b');

      expect(heard).toEqual(['a']);
    });
  });
}
