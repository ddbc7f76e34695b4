import { expect, test } from '@jest/globals';
import type { SessionOp } from '../../../../src/storage/session-store.ts';
import {
  type FallbackSessionStore,
  openFallbackSessions,
} from '../../../../src/storage/sessions/fallback/fallback-session-store.ts';
import { type Away, wayTo } from '../../../support/away-store.ts';
import { seededRandom, type TestRandom } from '../../../support/random.ts';
import {
  append,
  HERE,
  LIMITS,
  NOW_US,
  notesOf,
  set,
  valuesOf,
  write,
} from '../../conformance/session-store/session-of-test.ts';
import { InMemoryLifecycleEvents, InMemorySessionStore } from '../../in-memory/sessions/session-store.ts';

const SERVERS = 3;
const STEPS = 400;
const KEYS = ['a', 'b', 'c'];
const signal = new AbortController().signal;
const inMemory = () =>
  new InMemorySessionStore({ idempotencyRetentionMs: 3_600_000, events: new InMemoryLifecycleEvents() });

interface Server {
  readonly name: string;
  readonly state: Away;
  store: FallbackSessionStore;
  restart(): Promise<void>;
  /** Acknowledged values of keys that no other server writes. */
  readonly values: Map<string, string>;
  readonly notes: string[];
}

async function serverOf(name: string, shared: InMemorySessionStore): Promise<Server> {
  const state: Away = { away: false };
  const local = inMemory();
  const open = () =>
    openFallbackSessions({
      remote: wayTo(shared, state),
      local,
      goesOn: true,
      clock: { nowUs: () => NOW_US },
      limits: LIMITS,
      async *namespaces() {
        yield HERE.namespace;
      },
    });
  const server: Server = {
    name,
    state,
    store: await open(),
    async restart() {
      server.store = await open();
    },
    values: new Map(),
    notes: [],
  };
  return server;
}

/** A write of the server itself; refused writes are not acknowledged. */
async function step(server: Server, random: TestRandom, at: number): Promise<void> {
  const key = `${server.name}-${random.pick(KEYS)}`;
  const value = `${at}`;
  const note = `${server.name}:${at}`;
  const isDelete = random.chance(0.2);
  const ops: SessionOp[] = [isDelete ? { kind: 'delete', key } : set(key, value), append(note)];
  const outcome = await write(server.store, ops).catch(() => undefined);
  if (!outcome) {
    // It may have taken effect all the same, in a Redis that received a write which the copy cannot serve.
    server.values.delete(key);
    server.notes.push(`?${note}`);
    return;
  }
  server.notes.push(note);
  if (isDelete) server.values.set(key, '');
  else server.values.set(key, value);
}

test('servers that lose their store or are killed at any time › every acknowledged write is applied once', async () => {
  const random = seededRandom('fallback');
  const shared = inMemory();
  const servers = await Promise.all(Array.from({ length: SERVERS }, (_, at) => serverOf(`server-${at}`, shared)));
  for (let at = 0; at < STEPS; at++) {
    const server = random.pick(servers);
    if (random.chance(0.1)) server.state.away = random.pick(['before', 'after', false, false] as const);
    if (random.chance(0.05)) await server.restart();
    if (random.chance(0.1)) await server.store.comeBackAll(signal);
    await step(server, random, at);
  }
  for (const { state, store } of servers) {
    state.away = false;
    await store.comeBackAll(signal);
    expect(store.detours).toEqual([]);
  }
  const values = await valuesOf(shared);
  const notes = await notesOf(shared);
  expect(new Set(notes).size).toBe(notes.length);
  for (const server of servers) {
    for (const [key, value] of server.values) expect([key, values[key] ?? '']).toEqual([key, value]);
    const own = notes.filter((note) => note.startsWith(`${server.name}:`));
    expect(own.filter((note) => !server.notes.includes(`?${note}`))).toEqual(
      server.notes.filter((note) => !note.startsWith('?')),
    );
    expect(await valuesOf(server.store)).toEqual(values);
  }
});
