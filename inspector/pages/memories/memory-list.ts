import { type Change, ChangeKind } from '../../../gen/ts/mneme/v1/change.ts';
import { MemoryOrder } from '../../../gen/ts/mneme/v1/memory_service.ts';
import { countMemories, listMemories } from '../../api/calls.ts';
import { asFailure, type CallFailure } from '../../api/failure.ts';
import { namespaceName } from '../../api/names.ts';
import { type WatchState, watch } from '../../api/watch.ts';
import { Store } from '../../app/store.ts';
import { type Row, rowOf } from './memory-row.tsx';

const PAGE_SIZE = 200;

export interface Selection {
  readonly namespace: string;
  readonly filter: string;
  readonly order: MemoryOrder;
}

interface ListState {
  readonly rows: readonly Row[];
  /** Memories that the filter selects; absent until they are counted. */
  readonly total?: number;
  readonly isLoading: boolean;
  readonly failure?: CallFailure;
  readonly watching: WatchState;
  /** Memories that arrived since the list was opened. */
  readonly arrived: ReadonlySet<string>;
  /** Memories that belong into the list at a place that is not known. */
  readonly unplacedCount: number;
  readonly damaged: readonly string[];
}

/** A list that loads page by page and follows the changes of its memories. */
export class MemoryList {
  readonly state: Store<ListState>;
  private readonly selection: Selection;
  private readonly stop = new AbortController();
  private pageToken: string | undefined = '';

  constructor(selection: Selection) {
    this.selection = selection;
    this.state = new Store<ListState>({
      rows: [],
      isLoading: false,
      watching: { kind: 'connecting' },
      arrived: new Set(),
      unplacedCount: 0,
      damaged: [],
    });
  }

  close(): void {
    this.stop.abort();
  }

  /** Loads the next page, if there is one and none is awaited. */
  loadMore(): void {
    if (this.pageToken === undefined || this.state.value.isLoading || this.state.value.failure) return;
    void this.load(this.pageToken);
  }

  retry(): void {
    this.change({ failure: undefined });
    this.loadMore();
  }

  private async load(pageToken: string): Promise<void> {
    const { namespace, filter, order } = this.selection;
    const { signal } = this.stop;
    this.change({ isLoading: true });
    const request = { parent: namespaceName(namespace), filterText: filter };
    try {
      const counting = pageToken === '' ? countMemories(request, signal) : undefined;
      // Where both fail, the list says why.
      counting?.catch(() => undefined);
      const page = await listMemories({ ...request, order, pageSize: PAGE_SIZE, pageToken }, signal);
      this.pageToken = page.nextPageToken === '' ? undefined : page.nextPageToken;
      const known = new Set(this.state.value.rows.map(({ name }) => name));
      const added = page.memories.filter(({ name }) => !known.has(name)).map(rowOf);
      const { rows, damaged } = this.state.value;
      this.change({ rows: [...rows, ...added], damaged: [...damaged, ...page.damaged], isLoading: false });
      if (counting) {
        this.follow(page.revision);
        this.change({ total: (await counting).count });
      }
    } catch (error) {
      if (!signal.aborted) this.change({ failure: asFailure(error), isLoading: false });
    }
  }

  /** Applies what changes after the first page. */
  private follow(revision: bigint): void {
    const { namespace, filter } = this.selection;
    const draft = { parent: namespaceName(namespace), filterText: filter, startRevision: revision + 1n };
    const watcher = {
      onChanges: (changes: readonly Change[]) => this.apply(changes),
      onState: (watching: WatchState) => this.change({ watching }),
    };
    void watch(draft, watcher, this.stop.signal);
  }

  private apply(changes: readonly Change[]): void {
    if (changes.length === 0) return;
    const { rows, total, arrived, unplacedCount } = this.state.value;
    const { order, filter } = this.selection;
    const shown = new Map(rows.map((row) => [row.name, row]));
    /** Oldest first. */
    const front = new Map<string, Row>();
    const news = new Set(arrived);
    let unplaced = 0;
    let difference = 0;
    for (const { kind, name, memory, leaves } of changes) {
      const holder = front.has(name) ? front : shown;
      if (!memory || leaves) {
        // Without a filter, memories that are not loaded yet count as well.
        if (holder.delete(name) || (filter === '' && isErasure(kind))) difference -= 1;
      } else if (holder.has(name)) holder.set(name, rowOf(memory));
      else if (kind === ChangeKind.CHANGE_KIND_STORED) {
        difference += 1;
        news.add(name);
        if (order === MemoryOrder.MEMORY_ORDER_CREATE_TIME_DESC) front.set(name, rowOf(memory));
        else unplaced += 1;
      }
    }
    this.change({
      rows: [...[...front.values()].reverse(), ...shown.values()],
      ...(total !== undefined && { total: Math.max(0, total + difference) }),
      arrived: news,
      unplacedCount: unplacedCount + unplaced,
    });
  }

  private change(change: { readonly [Key in keyof ListState]?: ListState[Key] | undefined }): void {
    if (!this.stop.signal.aborted) this.state.set({ ...this.state.value, ...change });
  }
}

function isErasure(kind: ChangeKind): boolean {
  return kind === ChangeKind.CHANGE_KIND_DELETED || kind === ChangeKind.CHANGE_KIND_EXPIRED;
}
