import { batchesOf } from '../batches.ts';
import { AlreadyExistsError, NotFoundError } from '../errors.ts';
import type { Mneme } from '../index.ts';
import type { Memory, NewMemory } from '../memory.ts';
import type { CallOptions } from '../options.ts';

/** Limits of one write: the server takes requests of at most 4 MiB. */
const WRITE_LIMITS = { count: 1000, bytes: 3 * 1024 * 1024 } as const;

/**
 * Stores memories in their order: when one is stored, all before it are. Where they fit into one message and are new, all
 * of them are stored or none. A memory whose id is taken stays as it is unless `replaces` has it.
 */
export async function storeAll(
  client: Mneme,
  memories: readonly NewMemory[],
  replaces: ReadonlySet<NewMemory>,
  options: CallOptions = {},
): Promise<void> {
  for await (const batch of batchesOf(memories, WRITE_LIMITS)) {
    try {
      await client.batchStore(batch, options);
    } catch (error) {
      if (!(error instanceof AlreadyExistsError)) throw error;
      for (const run of runsOf(batch, (memory) => replaces.has(memory))) {
        const conflictPolicy = run.some((memory) => replaces.has(memory)) ? 'replace' : 'keep';
        await client.importMemories(run, { conflictPolicy, ...options });
      }
    }
  }
}

/** Neighbours of the same kind together, in their order. */
function runsOf<Item>(items: readonly Item[], kindOf: (item: Item) => boolean): Item[][] {
  const runs: Item[][] = [];
  for (const item of items) {
    const last = runs.at(-1);
    if (last?.[0] !== undefined && kindOf(last[0]) === kindOf(item)) last.push(item);
    else runs.push([item]);
  }
  return runs;
}

/** The items in groups of at most `count`, in their order. */
export function groupsOf<Item>(items: readonly Item[], count: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / count) }, (_, index) =>
    items.slice(index * count, (index + 1) * count),
  );
}

/** Whether a namespace is missing, which the first write makes. */
export function isMissingNamespace(error: unknown): boolean {
  return error instanceof NotFoundError && error.reason === 'NAMESPACE_NOT_FOUND';
}

/** The memories of a list; none where the namespace is missing. */
export async function* withoutMissingNamespace(
  memories: AsyncIterable<Memory>,
): AsyncGenerator<Memory, void, undefined> {
  try {
    yield* memories;
  } catch (error) {
    if (!isMissingNamespace(error)) throw error;
  }
}
