import type { StandingQuery } from '../../recall/standing/standing-query.ts';
import type { Standing, Urgency } from './standing.ts';

/** What is common to all entries. */
export interface EntryOwner {
  readonly revision: number;
  beginSearch(entry: StandingEntry): void;
  renew(entry: StandingEntry, query: StandingQuery): Promise<void>;
  endSearch(entry: StandingEntry, members: ReadonlySet<string>): void;
  end(entry: StandingEntry): void;
}

export const NO_MEMBERS: ReadonlySet<string> = new Set();

/** A query among the standing ones. Thousands stand for long: a class has no functions for each of them. */
export class StandingEntry implements Standing {
  readonly id: number;
  query: StandingQuery;
  /** Nobody has looked since it was put in. */
  isOutdated = true;
  readonly onAffected: (urgency: Urgency) => void;
  members = NO_MEMBERS;
  /** Memories that were changed while an answer is looked for. */
  changedMeanwhile: Set<string> | undefined = undefined;
  /** Lets go of the namespace. */
  readonly leave: (() => void) | undefined;
  private readonly owner: EntryOwner;

  constructor(
    owner: EntryOwner,
    { id, query, onAffected, leave }: Pick<StandingEntry, 'id' | 'query' | 'onAffected' | 'leave'>,
  ) {
    this.id = id;
    this.query = query;
    this.onAffected = onAffected;
    this.leave = leave;
    this.owner = owner;
  }

  get revision(): number {
    return this.owner.revision;
  }

  beginSearch(): void {
    this.owner.beginSearch(this);
  }

  renew(query: StandingQuery): Promise<void> {
    return this.owner.renew(this, query);
  }

  setMembers(ids: readonly string[]): void {
    this.owner.endSearch(this, ids.length === 0 ? NO_MEMBERS : new Set(ids));
  }

  end(): void {
    this.owner.end(this);
  }
}
