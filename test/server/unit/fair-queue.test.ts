import { describe, expect, it } from '@jest/globals';
import { FairQueue } from '../../../src/server/search-thread/fair-queue.ts';

function newQueue() {
  const clock = { nowMs: 0 };
  const queue = new FairQueue<string>(() => clock.nowMs);
  const add = (caller: string, namespace: string, ...items: string[]): void => {
    for (const item of items) queue.add({ caller, namespace }, item);
  };
  const all = (workedMs = 0): string[] => {
    const order: string[] = [];
    for (let item = queue.next(); item !== undefined; item = queue.next()) {
      order.push(item);
      if (workedMs > 0) queue.worked({ caller: item.slice(0, 1), namespace: item.slice(1, 2) }, workedMs);
    }
    return order;
  };
  return { queue, clock, add, all };
}

describe('a fair queue', () => {
  it('requests of one caller and namespace › in the order of their arrival', () => {
    const { queue, add, all } = newQueue();
    add('a', 'x', 'ax1', 'ax2', 'ax3');
    expect(queue.size).toBe(3);
    expect(all()).toEqual(['ax1', 'ax2', 'ax3']);
    expect(queue.size).toBe(0);
    expect(queue.next()).toBeUndefined();
  });

  it('a caller with many requests › another one waits for one of them', () => {
    const { add, all } = newQueue();
    add('a', 'x', 'ax1', 'ax2', 'ax3', 'ax4');
    add('b', 'x', 'bx1', 'bx2');
    expect(all(10)).toEqual(['ax1', 'bx1', 'ax2', 'bx2', 'ax3', 'ax4']);
  });

  it('a caller with many namespaces › has no larger share than one with one', () => {
    const { add, all } = newQueue();
    for (const namespace of ['u', 'v', 'w', 'x']) add('a', namespace, `a${namespace}1`);
    add('b', 'x', 'bx1', 'bx2');
    expect(all(10)).toEqual(['au1', 'bx1', 'av1', 'bx2', 'aw1', 'ax1']);
  });

  it('namespaces of one caller › that with the least work comes first', () => {
    const { queue, add, all } = newQueue();
    queue.worked({ caller: 'a', namespace: 'x' }, 500);
    add('a', 'x', 'ax1', 'ax2');
    add('a', 'y', 'ay1');
    expect(all(10)).toEqual(['ay1', 'ax1', 'ax2']);
  });

  it('work of some time ago › counts half after ten seconds', () => {
    const { queue, clock, add, all } = newQueue();
    queue.worked({ caller: 'a', namespace: 'x' }, 100);
    clock.nowMs = 10_000;
    queue.worked({ caller: 'b', namespace: 'x' }, 60);
    add('b', 'x', 'bx1');
    add('a', 'x', 'ax1');
    expect(all()).toEqual(['ax1', 'bx1']);
  });

  it('takeAll › returns every request, and none is left', () => {
    const { queue, add } = newQueue();
    add('a', 'x', '1', '2');
    add('b', 'y', '3');
    expect(queue.takeAll().sort()).toEqual(['1', '2', '3']);
    expect(queue.size).toBe(0);
    expect(queue.next()).toBeUndefined();
  });
});
