import { isNamespaceMissing } from '../../memory/errors.ts';
import { TIERS } from '../../memory/memory.ts';
import type { RecallEngine } from '../../search/recall/recall-engine.ts';
import type { BodyCopies } from '../body-store.ts';
import type { Answer, Asked, StoreStatistics, View } from '../view.ts';
import { withMethods } from '../with-methods.ts';
import { IdleNamespaces } from './idle-namespaces.ts';
import { ViewBudget } from './view-budget.ts';
import type { BuildCounts } from './view-builds.ts';
import { ViewFollower, type ViewLag } from './view-follower.ts';
import type { ViewedOptions } from './viewed-options.ts';

/** The contents of a view, and the work on it. */
export interface ViewState {
  readonly lag: ViewLag;
  readonly namespaceCount: number;
  /** Some seconds ago. */
  readonly bytes: number;
  readonly builds: BuildCounts;
  /** Namespaces evicted since the start of the server. */
  readonly evictedCount: number;
}

/**
 * A view that follows the log of its records. Each read first brings the namespace in the view to the end of the log, so
 * that it has every acknowledged write of any server; the first one has it built.
 */
export class FollowedView implements View {
  readonly follower: ViewFollower;
  readonly idle: IdleNamespaces;
  readonly changed = new ChangedNames();
  readonly budget: ViewBudget;
  private readonly view: ViewedOptions['view'];
  private readonly unfollow: () => void;

  constructor(options: ViewedOptions) {
    this.view = options.view;
    this.follower = new ViewFollower(options);
    this.budget = new ViewBudget({ ...options, follower: this.follower });
    this.idle = new IdleNamespaces(options, this.follower);
    this.unfollow = options.records.follow((namespace) => {
      this.changed.note(namespace);
      this.follower.wake(namespace);
    });
  }

  get viewState(): ViewState {
    const { lag, heldCount: namespaceCount, buildCounts: builds } = this.follower;
    const { bytes, evictedCount } = this.budget;
    return { lag, namespaceCount, bytes, builds, evictedCount };
  }

  /** Texts and contents in the view. */
  get bodyCopies(): BodyCopies {
    const { copies } = this.view;
    return {
      bodies: (owners) => copies.bodies(owners),
      withoutBody: (owners) => copies.withoutBody(owners),
      renew: (...memories) => this.follower.renew(...memories),
    };
  }

  reached(namespace: string): Promise<number> {
    return this.follower.reach(namespace);
  }

  list(read: Asked<'list'>): Answer<'list'> {
    return this.follower.during(read.namespace, () => this.view.list(read));
  }
  count(read: Asked<'count'>): Answer<'count'> {
    return this.follower.during(read.namespace, () => this.view.count(read));
  }
  listScopes(read: Asked<'listScopes'>): Answer<'listScopes'> {
    return this.follower.during(read.namespace, () => this.view.listScopes(read));
  }
  members(read: Asked<'members'>): Answer<'members'> {
    return this.follower.during(read.namespace, () => this.view.members(read));
  }
  async totals(namespace?: string): Answer<'totals'> {
    if (namespace === undefined) return (await this.each((name) => this.view.totals(name))).flat();
    return this.follower.during(namespace, () => this.view.totals(namespace));
  }
  size(namespace: string): Answer<'size'> {
    return this.follower.during(namespace, () => this.view.size(namespace));
  }
  async statistics(namespace?: string): Answer<'statistics'> {
    if (namespace !== undefined) return this.follower.during(namespace, () => this.view.statistics(namespace));
    const names = await this.each(async (name) => name);
    const leave = names.map((name) => this.follower.keep(name));
    try {
      if (names.every((name) => this.follower.isComplete(name))) return await this.view.statistics();
    } finally {
      for (const each of leave) each();
    }
    // Some were evicted meanwhile, or are built again: the view does not have room for all.
    return sumOfStatistics(await this.each((name) => this.view.statistics(name)));
  }

  describe(): Answer<'describe'> {
    const [view] = this.view.describe();
    const durability = 'a restart; made anew from the records';
    return [{ role: 'view', technology: view?.technology ?? '', durability }];
  }

  /** The records are to be closed before the view: their log ends with them. */
  async end(): Promise<void> {
    this.unfollow();
    await this.budget.end();
    await this.follower.end();
  }

  /** Reads every namespace, one after the other: the view need not hold all of them at a time. */
  private async each<T>(read: (namespace: string) => Promise<T>): Promise<T[]> {
    const parts: T[] = [];
    for (const name of [...(await this.follower.names())].sort()) {
      try {
        parts.push(await this.follower.during(name, () => read(name)));
      } catch (error) {
        // The namespace was deleted, and is gone from the view.
        if (!isNamespaceMissing(error)) throw error;
      }
    }
    return parts;
  }
}

/** Names that are remembered; of more, all namespaces are to be looked at. */
const NAMES_MAX = 100_000;

/** Namespaces whose records were changed at any server, also where they are not in the view. */
class ChangedNames {
  private readonly names = new Set<string>();

  note(namespace: string): void {
    if (this.names.size <= NAMES_MAX) this.names.add(namespace);
  }

  /** Those since the last call; `undefined` where there were too many. */
  take(): readonly string[] | undefined {
    const names = this.names.size > NAMES_MAX ? undefined : [...this.names];
    this.names.clear();
    return names;
  }
}

interface ViewedEngineOptions {
  /** Searches the view. */
  readonly engine: RecallEngine;
  readonly follower: Pick<ViewFollower, 'during'>;
  /** Newest revision of the view's own log. */
  readonly revision: () => number;
  /** Memories of a namespace that the view may have without their texts, for people; `undefined` where there are none. */
  readonly degraded?: (namespace: string) => Promise<string | undefined>;
}

/** Recall over a view that first gets every write that any server has acknowledged. */
export function viewedEngine({ engine, follower, revision, degraded }: ViewedEngineOptions): RecallEngine {
  return withMethods(engine, {
    search: (query, signal) =>
      follower.during(query.namespace, async () => {
        const result = await engine.search({ ...query, revision: revision() }, signal);
        const reason = await degraded?.(query.namespace);
        return reason === undefined ? result : { ...result, degraded: [...result.degraded, { part: 'texts', reason }] };
      }),
  });
}

const TYPES_MAX = 100;
const ACCESSED_MAX = 5;

/** Statistics of several namespaces from those of each. */
function sumOfStatistics(parts: readonly StoreStatistics[]): StoreStatistics {
  const sum = (of: (part: StoreStatistics) => number): number => parts.reduce((total, part) => total + of(part), 0);
  const memoryCount = sum((part) => part.memoryCount);
  const accessed = (of: 'mostAccessed' | 'leastAccessed', sign: 1 | -1) =>
    parts
      .flatMap((part) => part[of] ?? [])
      .sort((one, other) => sign * (one.retrievalCount - other.retrievalCount))
      .slice(0, ACCESSED_MAX);
  const degraded = parts.flatMap((part) => part.degraded ?? []);
  return {
    namespaceCount: parts.length,
    memoryCount,
    contentBytes: sum((part) => part.contentBytes),
    embeddedCount: sum((part) => part.embeddedCount),
    embeddingPendingCount: sum((part) => part.embeddingPendingCount),
    importanceMean: memoryCount === 0 ? 0 : sum((part) => part.importanceMean * part.memoryCount) / memoryCount,
    retrievalCount: sum((part) => part.retrievalCount),
    types: sumOfTypes(parts),
    tiers: TIERS.flatMap((tier) => sumOfTier(parts, tier)),
    mostAccessed: accessed('mostAccessed', -1),
    leastAccessed: accessed('leastAccessed', 1),
    diskBytes: Math.max(0, ...parts.map((part) => part.diskBytes)),
    ...(degraded.length > 0 && { degraded: [...new Set(degraded)].join('; ') }),
  };
}

/** Of more than 100 types of a namespace, those with fewest memories are missing in it. */
function sumOfTypes(parts: readonly StoreStatistics[]): StoreStatistics['types'] {
  const counts = new Map<string, number>();
  for (const { types } of parts) for (const { type, count } of types) counts.set(type, (counts.get(type) ?? 0) + count);
  return [...counts]
    .map(([type, count]) => ({ type, count }))
    .sort((one, other) => other.count - one.count || (one.type < other.type ? -1 : 1))
    .slice(0, TYPES_MAX);
}

function sumOfTier(
  parts: readonly StoreStatistics[],
  tier: (typeof TIERS)[number],
): StoreStatistics['tiers'][number][] {
  const all = parts.flatMap(({ tiers }) => tiers.filter((each) => each.tier === tier));
  if (all.length === 0) return [];
  const sum = (of: (one: (typeof all)[number]) => number): number => all.reduce((total, one) => total + of(one), 0);
  const count = sum((one) => one.count);
  return [
    {
      tier,
      count,
      contentBytes: sum((one) => one.contentBytes),
      storedBytes: sum((one) => one.storedBytes ?? one.contentBytes),
      importanceMean: sum((one) => (one.importanceMean ?? 0) * one.count) / count,
    },
  ];
}
