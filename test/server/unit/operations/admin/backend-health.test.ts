import { describe, expect, it } from '@jest/globals';
import { MnemeError } from '../../../../../src/memory/errors.ts';
import { BackendHealth } from '../../../../../src/server/operations/admin/backend-health.ts';

const START_US = Date.UTC(2026, 10, 25, 0, 10, 2) * 1000;
const MINUTE_US = 60_000_000;

function watched() {
  const state = { failure: undefined as unknown, isAvailable: true, nowUs: START_US };
  const backend = {
    technology: 'Redis' as const,
    keeps: 'sessions',
    get isAvailable() {
      return state.isAvailable;
    },
    async probe() {
      if (state.failure !== undefined) throw state.failure;
    },
    services: async () => ['WorkingMemoryService'],
    served: 'memories are read',
  };
  return { state, health: new BackendHealth(backend, { nowUs: () => state.nowUs }) };
}

const silent = new MnemeError('STORAGE_UNAVAILABLE', 'Redis is starting', { metadata: { fault: 'loading' } });
const refused = new MnemeError('STORAGE_UNAVAILABLE', 'left alone', { metadata: { fault: 'circuit_open' } });

describe('BackendHealth', () => {
  it('when one probe fails › nothing changes; when two in a row do › its services are down', async () => {
    const { state, health } = watched();
    state.failure = silent;
    expect(await health.look()).toBe(false);
    state.failure = undefined;
    expect(await health.look()).toBe(false);
    state.failure = silent;
    expect(await health.look()).toBe(false);
    expect([health.isLost, health.lostServices, health.degraded]).toEqual([false, [], undefined]);

    expect(await health.look()).toBe(true);
    expect([health.isLost, health.answers, health.lostServices]).toEqual([true, false, ['WorkingMemoryService']]);
  });

  it('when it answers again › its services come back with the second answer in a row', async () => {
    const { state, health } = watched();
    state.failure = silent;
    await health.look();
    await health.look();
    state.failure = undefined;
    expect(await health.look()).toBe(false);
    state.failure = silent;
    expect(await health.look()).toBe(false);
    state.failure = undefined;
    expect(await health.look()).toBe(false);
    expect(health.isLost).toBe(true);

    expect(await health.look()).toBe(true);
    expect([health.isLost, health.lostServices, health.degraded]).toEqual([false, [], undefined]);
  });

  it('when calls to it are refused already › one probe that fails is enough', async () => {
    const { state, health } = watched();
    state.isAvailable = false;
    expect(health.degraded).toBe('sessions: Redis does not answer; memories are read');
    state.failure = refused;

    expect(await health.look()).toBe(true);
    expect(health.degraded).toBe('sessions: Redis does not answer since 2026-11-25T00:10:02Z; memories are read');
  });

  it('while it is down › reported since the first failed probe, with the reason', async () => {
    const { state, health } = watched();
    state.failure = silent;
    for (let round = 0; round < 3; round++) {
      await health.look();
      state.nowUs += MINUTE_US;
    }
    state.failure = refused;
    await health.look();

    expect(health.degraded).toBe(
      'sessions: Redis does not answer since 2026-11-25T00:10:02Z (Redis is starting); memories are read',
    );
  });

  it('when a probe fails by a defect › the error is thrown and nothing changes', async () => {
    const { state, health } = watched();
    state.failure = new TypeError('defect');

    await expect(health.look()).rejects.toThrow('defect');
    expect(health.isLost).toBe(false);
  });
});
