import { setImmediate as turn } from 'node:timers/promises';
import { namespaceNotFound } from '../../memory/errors.ts';
import type { MemoryView } from '../../memory/memory.ts';
import { outsideCall } from '../current-call.ts';
import type { Namespace } from '../memory-store.ts';
import type { Kept } from '../rules/kept-outcome.ts';
import {
  keyspaceScripts,
  type RedisArgument,
  type RedisConnection,
  type RedisReply,
  type Script,
} from './connection.ts';
import { redisUnavailable } from './driver-error.ts';
import type { RowView } from './entry-codec.ts';
import { numberOf } from './keys.ts';
import type { KeyspaceEntry } from './keyspace-entry.ts';
import { type KeyspaceState, LAYOUT, newKeyspace, ownershipOf, readState, versionOf } from './keyspace-state.ts';
import { entriesIn, entryOfReplies, type Row } from './read-rows.ts';
import { OwnEntries, type RecentEntries } from './recent-entries.ts';

export interface LoadedKeyspace {
  readonly state: KeyspaceState;
  /** Without former states. */
  readonly entries: Map<string, KeyspaceEntry>;
  readonly kept: Map<string, Kept>;
}

export type Loss = 'flushed' | 'rolled_back';

interface KeyspaceOptions {
  readonly connection: RedisConnection;
  readonly name: string;
  /** Common prefix of the keys of the keyspace. */
  readonly keyspace: string;
  /** Lower limit of new revisions. */
  readonly revisionFloor: () => number;
  readonly onState: (state: KeyspaceState) => void;
  readonly onLoss: (name: string, loss: Loss) => void;
  /** Another component repairs losses, then calls `recovered`. */
  readonly isRecovered: boolean;
  readonly recent: RecentEntries;
  readonly members: KnownMembers;
}

/** Reads one keyspace, and detects that Redis has lost data that this server has seen. */
export class KeyspaceReader {
  readonly connection: RedisConnection;
  readonly name: string;
  readonly keyspace: string;
  readonly revisionFloor: () => number;
  readonly recent: RecentEntries;
  readonly members: KnownMembers;
  readonly own = new OwnEntries();
  private readonly options: KeyspaceOptions;
  private seen: KeyspaceState | undefined;
  private loss: Loss | undefined;
  private readonly questions = new KeyspaceQuestions((question) => this.answer(question));

  constructor(options: KeyspaceOptions) {
    this.connection = options.connection;
    this.name = options.name;
    this.keyspace = options.keyspace;
    this.revisionFloor = options.revisionFloor;
    this.recent = options.recent;
    this.members = options.members;
    this.options = options;
  }

  /**
   * The keyspace, existing or not, with the memories of these ids and the outcomes of these request ids. Fails when
   * Redis has lost data of it, until `recovered` is called or, without a recovery, once.
   */
  async load(
    ids: readonly string[],
    requestIds: readonly string[] = [],
    view: RowView = 'full',
  ): Promise<LoadedKeyspace> {
    return this.unlessLost(await this.loadLost(ids, requestIds, view));
  }

  /** The memories of these ids and the keyspace: reads of one event-loop turn share one request. */
  find(ids: readonly string[], view: MemoryView): Promise<LoadedKeyspace> {
    return this.questions.ask(ids, view);
  }

  /** A single memory with a known number is read without a script, which costs Redis a third of the time. */
  private async answer({ ids, view, isOfOneMoment }: Question): Promise<LoadedKeyspace> {
    const sequences = isOfOneMoment ? new Map<string, number>() : this.members.sequencesOf(this.keyspace, ids);
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

  private async loadByNumber(sequences: ReadonlyMap<string, number>, view: MemoryView): Promise<LoadedKeyspace> {
    const { seen } = this;
    const { head, entries } = await readByNumber(this, sequences, view);
    return this.unlessLost({ state: this.stateOf(head, seen), entries, kept: new Map() });
  }

  private unlessLost(loaded: LoadedKeyspace): LoadedKeyspace {
    const { loss } = this;
    if (!loss) return loaded;
    if (!this.options.isRecovered) this.recovered();
    throw redisUnavailable(loss);
  }

  /** The same, regardless of losses. */
  async loadLost(
    ids: readonly string[],
    requestIds: readonly string[] = [],
    view: RowView = 'full',
  ): Promise<LoadedKeyspace> {
    const distinct = [...new Set(ids)];
    const args = [view, `${distinct.length}`, ...distinct, ...requestIds];
    const { state, rest } = await this.runWith(keyspaceScripts.load, args);
    const [rows, outcomes] = rest as readonly [readonly (Row | null)[], readonly RedisReply[]];
    const there = rows.filter((row) => row !== null);
    const thereIds = distinct.filter((_, at) => rows[at]);
    const entries = new Map<string, KeyspaceEntry>();
    for (const entry of await entriesIn(this, there, view, thereIds)) {
      entries.set(entry.memory.id, entry);
      if (!entry.isUnreadable) this.members.note(this.keyspace, entry.memory.id, entry.sequence);
    }
    const kept = requestIds.flatMap((id, at): [string, Kept][] =>
      outcomes[at] ? [[id, JSON.parse(String(outcomes[at])) as Kept]] : [],
    );
    return { state, entries, kept: new Map(kept) };
  }

  /** Runs a script whose reply begins with the keyspace, regardless of losses. Returns the rest of the reply. */
  async runWith(
    script: Script,
    args: readonly RedisArgument[],
  ): Promise<{ state: KeyspaceState; rest: readonly RedisReply[] }> {
    const { seen } = this;
    const [head, ...rest] = (await this.connection.run(script, this.keyspace, args)) as readonly RedisReply[];
    return { state: this.stateOf(head as readonly RedisReply[], seen), rest };
  }

  /** Redis has lost data of the keyspace that is not recovered. */
  get isLost(): boolean {
    return this.loss !== undefined;
  }

  /** Accepts the remaining data as the keyspace. */
  recovered(): void {
    this.loss = undefined;
    this.own.forget();
    this.recent.forgetAll();
  }

  /** Fails with NAMESPACE_NOT_FOUND. */
  async loadThere(
    ids: readonly string[],
    view: MemoryView,
  ): Promise<LoadedKeyspace & { readonly namespace: Namespace }> {
    const loaded = await this.find(ids, view);
    const { namespace } = loaded.state;
    if (!namespace) throw namespaceNotFound(this.name);
    return { ...loaded, namespace };
  }

  /** Records data that is certain to be in Redis. */
  observe(state: KeyspaceState): void {
    this.seen = state;
    this.options.onState(state);
  }

  /** Of the state that was seen last; `undefined` where none was. */
  get ownership(): string | undefined {
    return this.seen && ownershipOf(this.seen);
  }

  private stateOf([version, keyspace]: readonly RedisReply[], seen: KeyspaceState | undefined): KeyspaceState {
    const isThere = version !== null;
    const stamp = String(version);
    const state: KeyspaceState =
      isThere && this.seen?.stamp === stamp
        ? this.seen
        : isThere
          ? { ...readState(String(keyspace)), ...versionOf(stamp) }
          : newKeyspace();
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

/** Lost data, of what was seen before the request was sent. */
function lossIn(state: KeyspaceState, isThere: boolean, seen: KeyspaceState | undefined): Loss | undefined {
  if (!seen) return undefined;
  // A deleted namespace cannot lose data: its remaining keys expire.
  if (!isThere || state.epoch !== seen.epoch) return seen.namespace ? 'flushed' : undefined;
  const isOther = state.version === seen.version && state.stamp !== seen.stamp;
  return isOther || state.version < seen.version ? 'rolled_back' : undefined;
}

/**
 * The memories with these numbers, by id, and the keyspace, at one instant. A number that is unused or belongs to
 * another memory leaves its id out, and so does an incomplete entry or an entry with separate strings.
 */
async function readByNumber(
  {
    connection,
    keyspace,
    name,
  }: { readonly connection: RedisConnection; readonly keyspace: string; readonly name: string },
  sequences: ReadonlyMap<string, number>,
  view: MemoryView,
): Promise<{ readonly head: readonly RedisReply[]; readonly entries: Map<string, KeyspaceEntry> }> {
  const isFull = view === 'full';
  const ask = ['MGET'];
  for (const sequence of sequences.values()) {
    const number = numberOf(sequence);
    ask.push(`${keyspace}:e:${number}`);
    if (isFull) ask.push(`${keyspace}:u:${number}`);
  }
  // The keyspace is read last: it is then as new as the newest of the memories.
  const answers = await connection.sendAll(keyspace, [ask, ['HMGET', `${keyspace}:room`, 'version', 'room']]);
  const [values = [], head = []] = answers as readonly (readonly RedisReply[])[];
  const entries = new Map<string, KeyspaceEntry>();
  let at = 0;
  for (const id of sequences.keys()) {
    const strings = [values[at++], undefined, isFull ? values[at++] : undefined];
    const entry = entryOfReplies(name, strings, view);
    if (entry?.memory.id === id && !entry.isDamaged) entries.set(id, entry);
  }
  return { head, entries };
}

/**
 * Requests that go out together: more are split, so that Redis reads some while this process decodes the others. With
 * 64 in
 */
const ASKED_AT_ONCE = 32;

interface Asked<A> {
  readonly ids: Set<string>;
  /** A caller needs several memories at one instant. */
  isOfOneMoment: boolean;
  /** Resolves when the request is sent. */
  readonly sent: Promise<void>;
  readonly answer: Promise<A>;
}

interface Question {
  readonly ids: readonly string[];
  readonly view: MemoryView;
  readonly isOfOneMoment: boolean;
}

/** Reads memories of one keyspace: the reads of one event-loop turn share a request. */
class KeyspaceQuestions<A> {
  private readonly answer: (question: Question) => Promise<A>;
  /** The request that is not sent yet, or was sent last. */
  private readonly asked = new Map<MemoryView, Asked<A>>();

  constructor(answer: (question: Question) => Promise<A>) {
    this.answer = answer;
  }

  ask(ids: readonly string[], view: MemoryView): Promise<A> {
    let asked = this.asked.get(view);
    if (!asked || asked.ids.size >= ASKED_AT_ONCE) {
      asked = this.open(view, asked?.sent);
      this.asked.set(view, asked);
    }
    for (const id of ids) asked.ids.add(id);
    if (ids.length !== 1) asked.isOfOneMoment = true;
    return asked.answer;
  }

  /** In an event-loop turn of its own: Redis replies at once to requests that arrive at once. */
  private open(view: MemoryView, before: Promise<void> | undefined): Asked<A> {
    const ids = new Set<string>();
    const sent = before ? before.then(() => turn()) : turn();
    const answer = sent.then(() => {
      if (this.asked.get(view) === asked) this.asked.delete(view);
      return outsideCall(() => this.answer({ ids: [...ids], view, isOfOneMoment: asked.isOfOneMoment }));
    });
    const asked: Asked<A> = { ids, isOfOneMoment: false, sent, answer };
    return asked;
  }
}

/** Half of the maximum number of cached memory numbers of all keyspaces: some 10 MB in total. */
const HALF = 50_000;

type Sequences = Map<string, Map<string, number>>;

/**
 * Cache of the numbers of memories in Redis, by keyspace and id, as this server last wrote or read them. They may be
 * outdated: a reader by number has to check the id of the memory. The least recently used are evicted.
 */
export class KnownMembers {
  private recent: Sequences = new Map();
  private former: Sequences = new Map();
  private count = 0;

  sequenceOf(keyspace: string, id: string): number | undefined {
    const sequence = this.recent.get(keyspace)?.get(id);
    if (sequence !== undefined) return sequence;
    const former = this.former.get(keyspace)?.get(id);
    if (former !== undefined) this.note(keyspace, id, former);
    return former;
  }

  /** Numbers of the ids that are cached. */
  sequencesOf(keyspace: string, ids: readonly string[]): Map<string, number> {
    const sequences = new Map<string, number>();
    for (const id of ids) {
      const sequence = this.sequenceOf(keyspace, id);
      if (sequence !== undefined) sequences.set(id, sequence);
    }
    return sequences;
  }

  note(keyspace: string, id: string, sequence: number): void {
    let known = this.recent.get(keyspace);
    if (!known) {
      if (this.count >= HALF) this.age();
      known = new Map();
      this.recent.set(keyspace, known);
    }
    const before = known.size;
    known.set(id, sequence);
    this.count += known.size - before;
    if (this.count > HALF) this.age();
  }

  private age(): void {
    this.former = this.recent;
    this.recent = new Map();
    this.count = 0;
  }
}
