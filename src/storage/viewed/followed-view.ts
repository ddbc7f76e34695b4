import { isNamespaceMissing } from '../../memory/errors.ts';
import type { RecallEngine } from '../../search/recall/recall-engine.ts';
import type { BodyCopies } from '../body-store.ts';
import type { Answer, Asked, View } from '../view.ts';
import { withMethods } from '../with-methods.ts';
import { IdleNamespaces } from './idle-namespaces.ts';
import { sumOfStatistics } from './sum-statistics.ts';
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
