import { LifecycleHooks } from '../../../src/server/operations/sessions/lifecycle/hooks.ts';
import type { LifecycleDeps } from '../../../src/server/operations/sessions/lifecycle/lifecycle-deps.ts';
import { VisibilityRules } from '../../../src/server/operations/visibility/visibility.ts';
import type { AgentSnapshots } from '../../../src/storage/agent-snapshots.ts';
import type { Records } from '../../../src/storage/records.ts';
import type { SessionStore } from '../../../src/storage/session-store.ts';
import type { View } from '../../../src/storage/view.ts';
import { InMemoryMemoryStore } from '../../storage/in-memory/memory-store.ts';
import { InMemoryScopePolicies } from '../../storage/in-memory/scope-policies.ts';
import { InMemoryLifecycleEvents, InMemorySessionStore } from '../../storage/in-memory/sessions/session-store.ts';
import { TestEmbedder } from './support.ts';

export const SECOND_US = 1_000_000;

const none = () => Promise.reject(new Error('these tests take no snapshots'));
const NO_SNAPSHOTS: AgentSnapshots = { take: none, list: none, drop: none, diff: none, restore: none, fork: none };

/**
 * The durable parts of a server: sessions in one store and memories in another, so that a termination takes several
 * writes.
 */
export function stores() {
  const events = new InMemoryLifecycleEvents();
  const memories = new InMemoryMemoryStore();
  return {
    events,
    sessions: new InMemorySessionStore({ idempotencyRetentionMs: 3_600_000, events }) as SessionStore,
    store: memories as Records,
    view: memories as View,
    agents: NO_SNAPSHOTS,
  };
}

/** The parts that a server creates when it starts; time stands still until it is moved. */
export function lifecycleDeps(
  parts: ReturnType<typeof stores>,
  clock = { us: 1_700_000_000_000_000 },
): LifecycleDeps & { readonly clock: { us: number; nowUs(): number } } {
  let ids = 0;
  return {
    ...parts,
    embedder: new TestEmbedder(),
    hooks: new LifecycleHooks(10),
    visibilityRules: new VisibilityRules(new InMemoryScopePolicies(parts.store)),
    clock: Object.assign(clock, { nowUs: () => clock.us }),
    newId: () => `id-${++ids}`,
    autoCreateNamespaces: true,
    onEmbeddingPending: () => {},
    sessionLimits: {
      keysMax: 1000,
      valueBytesMax: 1e7,
      notesMax: 1000,
      noteBytesMax: 1e7,
      checkpointsMax: 100,
      checkpointBytesMax: 1e7,
      changesMax: 1000,
    },
    defaultTtlUs: 0,
    idleTtlUs: 0,
    checkpointRetentionUs: 60 * SECOND_US,
    sessionRetentionUs: 3600 * SECOND_US,
  };
}

/** A session store or a memory store that fails before or after a write, like a process that dies there. */
export function dying<T extends object>(
  part: T,
  methods: readonly (keyof T)[],
  die: () => 'before' | 'after' | false,
): T {
  return new Proxy(part, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      const method = value.bind(target) as (...provided: unknown[]) => Promise<unknown>;
      if (!methods.includes(key as keyof T)) return method;
      return async (...provided: unknown[]) => {
        const when = die();
        if (when === 'before') throw new Error('died');
        const outcome = await method(...provided);
        if (when === 'after') throw new Error('died');
        return outcome;
      };
    },
  });
}
