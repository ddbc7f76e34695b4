import { beforeEach, describe, expect, it } from '@jest/globals';
import { isLost, placeAt } from '../../../../../src/server/operations/sessions/lifecycle/follow-events.ts';
import { InMemoryLifecycleEvents } from '../../../../storage/in-memory/sessions/session-store.ts';

const NAMESPACE = 'n';
const OLD_US = 1_000;
const NOW_US = 2_000;

describe('a place behind an event of sessions', () => {
  let received: InMemoryLifecycleEvents;
  let restored: InMemoryLifecycleEvents;
  beforeEach(() => {
    [received, restored] = [new InMemoryLifecycleEvents(), new InMemoryLifecycleEvents()];
    for (const events of [received, restored]) events.add(NAMESPACE, 'kept', OLD_US);
    received.add(NAMESPACE, 'lost', NOW_US);
  });

  it('in a store that was restored › is lost while its number is unused, or belongs to another event; the previous one is not', async () => {
    const [kept, lost] = await Promise.all([placeAt(received, NAMESPACE, 1), placeAt(received, NAMESPACE, 2)]);
    expect(await isLost(restored, NAMESPACE, lost)).toBe(true);
    for (const body of ['new', 'newer']) restored.add(NAMESPACE, body, NOW_US);
    expect(await isLost(restored, NAMESPACE, lost)).toBe(true);
    expect(await isLost(restored, NAMESPACE, kept)).toBe(false);
    expect(await isLost(received, NAMESPACE, lost)).toBe(false);
  });

  it('with an unnamed event, or one no longer kept › is accepted as far as there are events', async () => {
    const kept = await placeAt(received, NAMESPACE, 1);
    restored.add(NAMESPACE, 'new', NOW_US);
    expect(await isLost(restored, NAMESPACE, { sequence: 2, mark: '' })).toBe(false);
    expect(await isLost(restored, NAMESPACE, { sequence: 3, mark: '' })).toBe(true);
    await restored.erase({ beforeUs: NOW_US, limit: 10 });
    expect(await isLost(restored, NAMESPACE, kept)).toBe(false);
    expect(await placeAt(restored, NAMESPACE, 1)).toEqual({ sequence: 1, mark: '' });
  });
});
