import { describe, expect, it } from '@jest/globals';
import { verbOf } from '../../../../src/server/grpc/edge/permissions.ts';
import { limitRulesIn } from '../../../../src/server/identity/limit-rules.ts';
import { Quotas } from '../../../../src/server/identity/quotas.ts';

const GET = 'mneme.v1.MemoryService/GetMemory';
const STORE = 'mneme.v1.MemoryService/StoreMemory';
const WATCH = 'mneme.v1.RecallService/WatchMemories';

function quotasOf(limits: object, identitiesMax = 100) {
  const clock = { nowMs: 0 };
  const quotas = new Quotas(limitRulesIn(limits), { verbOf, nowMs: () => clock.nowMs, identitiesMax });
  const refusals: string[] = [];
  quotas.onExceeded = (...refusal) => void refusals.push(refusal.join(' '));
  const enter = (identity: string, method = GET, isStream = false) =>
    quotas.enter({ principal: { identity }, method, isStream });
  return { quotas, enter, clock, refusals };
}

function refused(call: () => unknown) {
  try {
    call();
    return undefined;
  } catch (error) {
    const { reason, metadata, retryAfterMs } = error as { reason: string; metadata: object; retryAfterMs?: number };
    return { reason, ...metadata, retryAfterMs };
  }
}

describe('calls per second', () => {
  it('beyond the burst › QUOTA_EXCEEDED names rule, identity, limit and unit, and when to try again', () => {
    const { enter, clock, refusals } = quotasOf({ agents: { identities: ['ada'], calls: { per_second: 2 } } });
    enter('ada');
    enter('ada');
    expect(refused(() => enter('ada'))).toEqual({
      reason: 'QUOTA_EXCEEDED',
      rule: 'agents',
      identity: 'ada',
      limit: '2',
      unit: 'calls per second',
      retryAfterMs: 500,
    });
    expect(refusals).toEqual(['agents calls ada']);
    clock.nowMs = 500;
    enter('ada');
    for (let calls = 0; calls < 100; calls++) enter('eve');
  });

  it('by verb › counts the methods of the verb only, and a refused call takes nothing', () => {
    const { enter } = quotasOf({ all: { calls: { per_second: 3 }, write_calls: { per_second: 1 } } });
    enter('ada', STORE);
    for (let calls = 0; calls < 5; calls++) {
      expect(refused(() => enter('ada', STORE))).toMatchObject({ unit: 'write calls per second', retryAfterMs: 1000 });
    }
    enter('ada', GET);
    enter('ada', GET);
    expect(refused(() => enter('ada', GET))).toMatchObject({ unit: 'calls per second' });
  });

  it('per day › a burst of the day, and then the share of the time', () => {
    const { enter, clock } = quotasOf({ all: { calls: { per_day: 24 } } });
    for (let calls = 0; calls < 24; calls++) enter('ada');
    expect(refused(() => enter('ada'))).toMatchObject({ unit: 'calls per day', limit: '24', retryAfterMs: 3_600_000 });
    clock.nowMs = 3_600_000;
    enter('ada');
  });

  it('messages of a stream › wait for the rate, and are counted once they may be served', () => {
    const { quotas, clock } = quotasOf({ all: { write_calls: { per_second: 1 } } });
    const stream = { principal: { identity: 'ada' }, method: STORE };
    expect(quotas.waitForMessage(stream)).toBe(0);
    expect(quotas.waitForMessage(stream)).toBe(1000);
    expect(quotas.waitForMessage(stream)).toBe(1000);
    clock.nowMs = 1000;
    expect(quotas.waitForMessage(stream)).toBe(0);
  });

  it('bytes of messages › the call that has them is served, later ones wait until they are within the rate', () => {
    const { quotas, enter, clock } = quotasOf({ all: { message_bytes: { per_second: 1000, burst: 1000 } } });
    enter('ada');
    quotas.transferred('ada', 3001);
    expect(refused(() => enter('ada'))).toMatchObject({ unit: 'message bytes per second', retryAfterMs: 2002 });
    enter('eve');
    clock.nowMs = 2002;
    enter('ada');
  });
});

describe('calls at the same time', () => {
  it('in flight › refused until one ends; streams do not count', () => {
    const { enter } = quotasOf({ all: { calls_in_flight: 1, open_streams: 1 } });
    const leave = enter('ada');
    const leaveStream = enter('ada', WATCH, true);
    expect(refused(() => enter('ada'))).toMatchObject({ unit: 'calls in flight', limit: '1', retryAfterMs: 100 });
    expect(refused(() => enter('ada', WATCH, true))).toMatchObject({ unit: 'open streams', retryAfterMs: undefined });
    leave();
    leaveStream();
    enter('ada');
    enter('ada', WATCH, true);
  });
});

describe('rules', () => {
  it('several that name an identity › of each kind the first one counts', () => {
    const { enter } = quotasOf({
      operators: { identities: ['ops', 'ops-*'], calls: { per_second: 100 } },
      everyone: { calls: { per_second: 1 }, open_streams: 0 },
    });
    for (let calls = 0; calls < 100; calls++) enter('ops-1');
    expect(refused(() => enter('ops-1'))).toMatchObject({ rule: 'operators' });
    expect(refused(() => enter('ops', WATCH, true))).toMatchObject({ rule: 'everyone', unit: 'open streams' });
    enter('ada');
    expect(refused(() => enter('ada'))).toMatchObject({ rule: 'everyone' });
  });

  it('shared › all identities of it together, besides the limits of each', () => {
    const { enter } = quotasOf({
      each: { calls: { per_second: 2 } },
      tenant: { identities: ['t-*'], shared: true, calls: { per_second: 3 }, calls_in_flight: 3 },
    });
    enter('t-1');
    enter('t-1');
    expect(refused(() => enter('t-1'))).toMatchObject({ rule: 'each' });
    const leave = enter('t-2');
    expect(refused(() => enter('t-2'))).toMatchObject({ rule: 'tenant', unit: 'calls per second' });
    leave();
    enter('other');
  });

  it('replaced › levels of limits that stay are kept, and calls in flight too', () => {
    const { quotas, enter, clock } = quotasOf({ all: { calls: { per_second: 1 }, calls_in_flight: 1 } });
    const leave = enter('ada');
    quotas.replace(limitRulesIn({ all: { calls: { per_second: 2 }, calls_in_flight: 1 } }));
    expect(refused(() => enter('ada'))).toMatchObject({ limit: '2', retryAfterMs: 500 });
    clock.nowMs = 500;
    expect(refused(() => enter('ada'))).toMatchObject({ unit: 'calls in flight' });
    leave();
    enter('ada');
    quotas.replace(limitRulesIn({}));
    for (let calls = 0; calls < 10; calls++) enter('ada');
  });

  it('more identities than are known › the one without a call for longest starts anew, none in flight is lost', () => {
    const { enter } = quotasOf({ all: { calls: { per_second: 1 }, calls_in_flight: 1 } }, 2);
    const leave = enter('held');
    enter('ada')();
    enter('eve')();
    expect(refused(() => enter('held'))).toBeDefined();
    // `ada` was forgotten when `eve` came.
    enter('ada')();
    leave();
    expect(refused(() => enter('ada'))).toMatchObject({ unit: 'calls per second' });
  });
});

describe('limits of stored data', () => {
  it('the first rule that names the identity and has one', () => {
    const { quotas } = quotasOf({
      ada: { identities: ['ada'], namespace_memories: 10 },
      all: { namespace_memories: 5, namespaces: 2 },
    });
    const { namespace_memories: memories, namespaces } = quotas.storedLimitsOf('ada');
    expect([memories?.most, namespaces?.most]).toEqual([10, 2]);
    expect(memories && quotas.storageExceeded(memories, 'ada', 'namespaces/n')).toMatchObject({
      message: 'ada has reached the limit of 10 memories in a namespace, by the rule ada of the policy: namespaces/n',
      metadata: { rule: 'ada', limit: '10', unit: 'memories in a namespace', name: 'namespaces/n' },
    });
  });
});

describe('what is used', () => {
  const usesOf = (quotas: Quotas) =>
    [...quotas.uses()].map(({ rule, limit, identity, used, most }) => [rule, limit, identity, used, most].join(' '));

  it('of rates and numbers › by identity, and of a shared rule by all together; a rate comes back', () => {
    const { quotas, enter, clock } = quotasOf({
      each: { calls: { per_second: 2, burst: 10 }, calls_in_flight: 5, namespace_memories: 100 },
      tenant: { identities: ['t-*'], shared: true, calls: { per_second: 1, burst: 20 }, open_streams: 7 },
    });
    enter('t-1');
    enter('t-1')();
    enter('t-2', WATCH, true);
    enter('ada')();
    clock.nowMs = 500;
    expect(usesOf(quotas)).toEqual([
      'each calls t-1 1 10',
      'each calls_in_flight t-1 1 5',
      'each calls t-2 0 10',
      'each calls_in_flight t-2 0 5',
      'each calls ada 0 10',
      'each calls_in_flight ada 0 5',
      'tenant calls _shared 2.5 20',
      'tenant open_streams _shared 1 7',
    ]);
  });

  it('of bytes beyond the burst › above the limit, until later calls are served again', () => {
    const { quotas } = quotasOf({ all: { message_bytes: { per_second: 10 } } });
    quotas.transferred('ada', 25);
    expect(usesOf(quotas)).toEqual(['all message_bytes ada 25 10']);
  });

  it('when the limits are replaced › those of the new rules, also of an identity that makes no call', () => {
    const { quotas, enter } = quotasOf({ all: { calls: { per_second: 10 } } });
    enter('ada');
    quotas.replace(limitRulesIn({ all: { calls: { per_second: 20 } } }));
    expect(usesOf(quotas)).toEqual(['all calls ada 11 20']);
    quotas.replace(limitRulesIn({}));
    expect(usesOf(quotas)).toEqual([]);
  });

  it('of stored data › once a write has counted it', () => {
    const { quotas, enter } = quotasOf({ all: { namespace_memories: 10, namespaces: 3 } });
    enter('ada')();
    expect(usesOf(quotas)).toEqual([]);
    quotas.noteStored('ada', { namespace_memories: 4, namespace_bytes: 99 });
    expect(usesOf(quotas)).toEqual(['all namespace_memories ada 4 10']);
  });
});
