import { setImmediate as turn } from 'node:timers/promises';
import { namespaceNotFound } from '../../memory/errors.ts';
import type { MemoryView } from '../../memory/memory.ts';
import type { Entry } from '../in-memory/draft.ts';
import type { Namespace } from '../memory-store.ts';
import type { RedisArgument, RedisConnection, RedisReply } from './connection.ts';
import { redisUnavailable } from './driver-error.ts';
import { decodeOrRest, FIELDS } from './entry-codec.ts';
import type { Kept } from './kept-outcome.ts';
import type { RecentEntries } from './recent-entries.ts';
import { roomScripts } from './room-scripts.ts';
import { newRoom, type RoomState, versionOf } from './room-state.ts';
import type { Script } from './script.ts';

export interface LoadedRoom {
  readonly state: RoomState;
  /** Without former states. */
  readonly entries: Map<string, Entry>;
  readonly kept: Map<string, Kept>;
}

/** Questions that go out together: more are split, so that Redis looks up some while the others are taken apart here. */
const ASKED_AT_ONCE = 32;

interface Asked {
  readonly ids: Set<string>;
  /** When it has gone out. */
  readonly sent: Promise<void>;
  readonly answer: Promise<LoadedRoom>;
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
}

/** Reads one room, and notices when Redis has lost what this server has seen in it. */
export class RoomReader {
  readonly connection: RedisConnection;
  readonly name: string;
  readonly room: string;
  readonly revisionFloor: () => number;
  readonly recent: RecentEntries;
  private readonly options: RoomOptions;
  private seen: RoomState | undefined;
  private loss: Loss | undefined;
  /** What has not gone out yet, or was the last to do so. */
  private readonly asked = new Map<MemoryView, Asked>();

  constructor(options: RoomOptions) {
    this.connection = options.connection;
    this.name = options.name;
    this.room = options.room;
    this.revisionFloor = options.revisionFloor;
    this.recent = options.recent;
    this.options = options;
  }

  /**
   * The room, there or not, with the memories of these ids and the outcomes kept for these request ids. Fails when Redis has
   * lost something of it, until `recovered` is called or, where nobody recovers, once.
   */
  async load(
    ids: readonly string[],
    requestIds: readonly string[] = [],
    view: MemoryView = 'full',
  ): Promise<LoadedRoom> {
    const loaded = await this.loadLost(ids, requestIds, view);
    const { loss } = this;
    if (!loss) return loaded;
    if (!this.options.isRecovered) this.recovered();
    throw redisUnavailable(loss);
  }

  /** The memories of these ids and the room: questions of one moment are asked as one. */
  find(ids: readonly string[], view: MemoryView): Promise<LoadedRoom> {
    let asked = this.asked.get(view);
    if (!asked || asked.ids.size >= ASKED_AT_ONCE) {
      asked = this.ask(view, asked?.sent);
      this.asked.set(view, asked);
    }
    for (const id of ids) asked.ids.add(id);
    return asked.answer;
  }

  /** In a turn of its own: what Redis reads at once it also answers at once. */
  private ask(view: MemoryView, before: Promise<void> | undefined): Asked {
    const ids = new Set<string>();
    const sent = before ? before.then(() => turn()) : turn();
    const answer = sent.then(() => {
      if (this.asked.get(view)?.ids === ids) this.asked.delete(view);
      return this.load([...ids], [], view);
    });
    return { ids, sent, answer };
  }

  /** The same, whatever was lost. */
  async loadLost(
    ids: readonly string[],
    requestIds: readonly string[] = [],
    view: MemoryView = 'full',
  ): Promise<LoadedRoom> {
    const distinct = [...new Set(ids)];
    const fields = FIELDS[view];
    const args = [`${fields.length}`, ...fields, `${distinct.length}`, ...distinct, ...requestIds];
    const { state, rest } = await this.runWith(roomScripts.load, args);
    const [rows, outcomes] = rest as readonly [readonly RedisReply[], readonly RedisReply[]];
    const entries = new Map<string, Entry>();
    for (const [at, id] of distinct.entries()) {
      const row = rows[at];
      if (Array.isArray(row)) entries.set(id, decodeOrRest(this.name, row, view));
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

  /** From now on the room is what is left of it. */
  recovered(): void {
    this.loss = undefined;
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
    const state: RoomState = isThere
      ? { ...(JSON.parse(String(room)) as Omit<RoomState, 'version' | 'stamp'>), ...versionOf(String(version)) }
      : newRoom();
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
  if (!isThere || state.epoch !== seen.epoch) return 'flushed';
  return state.version < seen.version ? 'rolled_back' : undefined;
}
