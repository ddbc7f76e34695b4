import { namespaceNotFound } from '../../memory/errors.ts';
import type { MemoryView } from '../../memory/memory.ts';
import type { Namespace } from '../memory-store.ts';
import type { RedisArgument, RedisConnection, RedisReply } from './connection.ts';
import { redisUnavailable } from './driver-error.ts';
import type { RowView } from './entry-codec.ts';
import type { Kept } from './kept-outcome.ts';
import type { KnownMembers } from './known-members.ts';
import { OwnEntries } from './own-entries.ts';
import { readByNumber } from './read-by-number.ts';
import { entriesIn, type Row } from './read-rows.ts';
import type { RecentEntries } from './recent-entries.ts';
import type { RoomEntry } from './room-entry.ts';
import { type Question, RoomQuestions } from './room-questions.ts';
import { roomScripts } from './room-scripts.ts';
import { LAYOUT, newRoom, type RoomState, versionOf } from './room-state.ts';
import type { Script } from './script.ts';

export interface LoadedRoom {
  readonly state: RoomState;
  /** Without former states. */
  readonly entries: Map<string, RoomEntry>;
  readonly kept: Map<string, Kept>;
}

export type Loss = 'flushed' | 'rolled_back';

interface RoomOptions {
  readonly connection: RedisConnection;
  readonly name: string;
  /** What the keys of the room begin with. */
  readonly room: string;
  /** Revision that new ones must be above. */
  readonly revisionFloor: () => number;
  readonly onState: (state: RoomState) => void;
  readonly onLoss: (name: string, loss: Loss) => void;
  /** Somebody makes good what is lost, and calls `recovered`. */
  readonly isRecovered: boolean;
  readonly recent: RecentEntries;
  readonly members: KnownMembers;
}

/** Reads one room, and notices when Redis has lost what this server has seen in it. */
export class RoomReader {
  readonly connection: RedisConnection;
  readonly name: string;
  readonly room: string;
  readonly revisionFloor: () => number;
  readonly recent: RecentEntries;
  readonly members: KnownMembers;
  readonly own = new OwnEntries();
  private readonly options: RoomOptions;
  private seen: RoomState | undefined;
  private loss: Loss | undefined;
  private readonly questions = new RoomQuestions((question) => this.answer(question));

  constructor(options: RoomOptions) {
    this.connection = options.connection;
    this.name = options.name;
    this.room = options.room;
    this.revisionFloor = options.revisionFloor;
    this.recent = options.recent;
    this.members = options.members;
    this.options = options;
  }

  /**
   * The room, there or not, with the memories of these ids and the outcomes kept for these request ids. Fails when Redis has
   * lost something of it, until `recovered` is called or, where nobody recovers, once.
   */
  async load(ids: readonly string[], requestIds: readonly string[] = [], view: RowView = 'full'): Promise<LoadedRoom> {
    return this.unlessLost(await this.loadLost(ids, requestIds, view));
  }

  /** The memories of these ids and the room: questions of one turn are asked as one. */
  find(ids: readonly string[], view: MemoryView): Promise<LoadedRoom> {
    return this.questions.ask(ids, view);
  }

  /** What is asked for one by one is read without a script where its number is known: Redis does that in a third of the time. */
  private async answer({ ids, view, isOfOneMoment }: Question): Promise<LoadedRoom> {
    const sequences = isOfOneMoment ? new Map<string, number>() : this.members.sequencesOf(this.room, ids);
    if (sequences.size === 0) return this.load(ids, [], view);
    const unknown = ids.filter((id) => !sequences.has(id));
    const [plain, others] = await Promise.all([
      this.loadByNumber(sequences, view),
      unknown.length > 0 ? this.load(unknown, [], view) : undefined,
    ]);
    const missing = [...sequences.keys()].filter((id) => !plain.entries.has(id));
    const last = missing.length > 0 ? await this.load(missing, [], view) : others;
    if (!last) return plain;
    return { ...last, entries: new Map([...plain.entries, ...(others?.entries ?? []), ...last.entries]) };
  }

  private async loadByNumber(sequences: ReadonlyMap<string, number>, view: MemoryView): Promise<LoadedRoom> {
    const { seen } = this;
    const { head, entries } = await readByNumber(this, sequences, view);
    return this.unlessLost({ state: this.stateOf(head, seen), entries, kept: new Map() });
  }

  private unlessLost(loaded: LoadedRoom): LoadedRoom {
    const { loss } = this;
    if (!loss) return loaded;
    if (!this.options.isRecovered) this.recovered();
    throw redisUnavailable(loss);
  }

  /** The same, whatever was lost. */
  async loadLost(
    ids: readonly string[],
    requestIds: readonly string[] = [],
    view: RowView = 'full',
  ): Promise<LoadedRoom> {
    const distinct = [...new Set(ids)];
    const args = [view, `${distinct.length}`, ...distinct, ...requestIds];
    const { state, rest } = await this.runWith(roomScripts.load, args);
    const [rows, outcomes] = rest as readonly [readonly (Row | null)[], readonly RedisReply[]];
    const there = rows.filter((row) => row !== null);
    const thereIds = distinct.filter((_, at) => rows[at]);
    const entries = new Map<string, RoomEntry>();
    for (const entry of await entriesIn(this, there, view, thereIds)) {
      if (!entry) continue;
      entries.set(entry.memory.id, entry);
      if (!entry.isUnreadable) this.members.note(this.room, entry.memory.id, entry.sequence);
    }
    const kept = requestIds.flatMap((id, at): [string, Kept][] =>
      outcomes[at] ? [[id, JSON.parse(String(outcomes[at])) as Kept]] : [],
    );
    return { state, entries, kept: new Map(kept) };
  }

  /** Runs a script whose answer begins with the room, whatever was lost. Gives the rest of the answer as it is. */
  async runWith(
    script: Script,
    args: readonly RedisArgument[],
  ): Promise<{ state: RoomState; rest: readonly RedisReply[] }> {
    const { seen } = this;
    const [head, ...rest] = (await this.connection.run(script, this.room, args)) as readonly RedisReply[];
    return { state: this.stateOf(head as readonly RedisReply[], seen), rest };
  }

  /** Redis has lost something of it, which nobody has made good. */
  get isLost(): boolean {
    return this.loss !== undefined;
  }

  /** From now on the room is what is left of it. */
  recovered(): void {
    this.loss = undefined;
    this.own.forget();
    this.recent.forgetAll();
  }

  /** Fails with NAMESPACE_NOT_FOUND. */
  async loadThere(ids: readonly string[], view: MemoryView): Promise<LoadedRoom & { readonly namespace: Namespace }> {
    const loaded = await this.find(ids, view);
    const { namespace } = loaded.state;
    if (!namespace) throw namespaceNotFound(this.name);
    return { ...loaded, namespace };
  }

  /** Notes what is certain to be in Redis. */
  observe(state: RoomState): void {
    this.seen = state;
    this.options.onState(state);
  }

  private stateOf([version, room]: readonly RedisReply[], seen: RoomState | undefined): RoomState {
    const isThere = version !== null;
    const stamp = String(version);
    const state: RoomState =
      isThere && this.seen?.stamp === stamp
        ? this.seen
        : isThere
          ? { ...(JSON.parse(String(room)) as Omit<RoomState, 'version' | 'stamp'>), ...versionOf(stamp) }
          : newRoom();
    // Nothing is there yet of what would be otherwise.
    if (state.layout !== LAYOUT && state.count > 0) throw redisUnavailable('other_layout');
    const loss = lossIn(state, isThere, seen);
    this.seen = isThere ? state : undefined;
    if (isThere) this.options.onState(state);
    if (loss) {
      this.loss = loss;
      this.options.onLoss(this.name, loss);
    }
    return state;
  }
}

/** What is missing of what was seen before the question went out. */
function lossIn(state: RoomState, isThere: boolean, seen: RoomState | undefined): Loss | undefined {
  if (!seen) return undefined;
  // Of a namespace that was deleted nothing can be lost: what is kept of it goes in time.
  if (!isThere || state.epoch !== seen.epoch) return seen.namespace ? 'flushed' : undefined;
  const isOther = state.version === seen.version && state.stamp !== seen.stamp;
  return isOther || state.version < seen.version ? 'rolled_back' : undefined;
}
