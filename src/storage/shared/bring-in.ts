import { basename } from 'node:path';
import type { Clock } from '../../memory/clock.ts';
import { isDamage } from '../../memory/errors.ts';
import type { MirroredMemory } from '../hot-log.ts';
import type { Namespace } from '../memory-store.ts';
import { SqliteScopePolicies } from '../sqlite/agents/scope-policies.ts';
import { openSqliteStore, type SqliteMemoryStore } from '../sqlite/memory-store.ts';
import { noteBroughtIn, pendingFolders } from './prepare-folder.ts';

export interface BringInOptions {
  readonly folder: string;
  readonly shared: SqliteMemoryStore;
  readonly clock: Clock;
  /** Called after each folder, with the number of memories that only it had. */
  readonly onDone?: (folder: string, count: number) => void;
}

const NAMESPACES_AT_ONCE = 100;
const MEMORIES_AT_ONCE = 100;
const BYTES_AT_ONCE = 1 << 20;
/** An instant before any expiry. */
const ALWAYS = 0;

/**
 * Imports data that only one data folder has into the shared store: memories with their former states, and missing
 * namespaces, settings and policies. Shared data stays unchanged. Repeating it changes nothing.
 */
export async function bringInPending(options: BringInOptions): Promise<void> {
  for (const pending of await pendingFolders(options.folder)) {
    const own = await openSqliteStore({ folder: pending, clock: options.clock });
    let count = 0;
    try {
      await bringInSettings(own, options, '');
      for await (const namespace of namespacesOf(own))
        count += await bringInNamespace(own, options, namespace, pending);
    } finally {
      await own.close();
    }
    await noteBroughtIn(pending);
    options.onDone?.(pending, count);
  }
}

async function* namespacesOf(own: SqliteMemoryStore): AsyncGenerator<Namespace> {
  for (let afterName = ''; ; ) {
    const page = await own.listNamespaces({ limit: NAMESPACES_AT_ONCE, afterName });
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < NAMESPACES_AT_ONCE) return;
    afterName = last.name;
  }
}

async function bringInSettings(own: SqliteMemoryStore, { shared, clock }: BringInOptions, namespace: string) {
  const known = await shared.tiers.tierSettings(namespace);
  const settings = [...(await own.tiers.tierSettings(namespace))].filter(([key]) => !known.has(key));
  if (settings.length > 0) await shared.tiers.setTierSettings({ namespace, settings, atUs: clock.nowUs() });
}

async function bringInNamespace(
  own: SqliteMemoryStore,
  options: BringInOptions,
  as: Namespace,
  pending: string,
): Promise<number> {
  const { shared, clock } = options;
  const { name: namespace } = as;
  let count = 0;
  let page = 0;
  for await (const copies of copiesOf(own, namespace)) {
    const requestId = `${basename(pending)}/${page++}`;
    // A process that ended in between may have imported it: memories that were deleted since are not imported again.
    const write = { namespace, as, copies, atUs: clock.nowUs(), idempotency: { requestId, fingerprint: requestId } };
    count += (await shared.write('bringIn', write)).broughtIn;
  }
  const [policies, sharedPolicies] = [new SqliteScopePolicies(own), new SqliteScopePolicies(shared)];
  const known = new Set((await sharedPolicies.list(namespace)).map(({ scope }) => JSON.stringify(scope)));
  for (const policy of await policies.list(namespace)) {
    if (!known.has(JSON.stringify(policy.scope))) {
      await sharedPolicies.set({ namespace, policy, atUs: clock.nowUs() });
    }
  }
  return count;
}

/** Complete memories in pages, the first one even without memories; damaged memories stay in the folder. */
async function* copiesOf(own: SqliteMemoryStore, namespace: string): AsyncGenerator<readonly MirroredMemory[]> {
  const order = 'create_time_asc' as const;
  const rest = {
    namespace,
    order,
    limit: MEMORIES_AT_ONCE,
    bytesMax: BYTES_AT_ONCE,
    view: 'basic',
    nowUs: ALWAYS,
  } as const;
  for (let after: { value: number | null; tie: number } | undefined; ; ) {
    const { memories, next } = await own.list({ ...rest, ...(after && { after }) });
    const copies: MirroredMemory[] = [];
    for (const { id } of memories) copies.push(...(await soundCopies(own, namespace, id)));
    yield copies;
    if (!next) return;
    after = next;
  }
}

async function soundCopies(own: SqliteMemoryStore, namespace: string, id: string): Promise<MirroredMemory[]> {
  try {
    return await own.tiers.copies({ namespace, ids: [id] });
  } catch (error) {
    if (isDamage(error)) return [];
    throw error;
  }
}
