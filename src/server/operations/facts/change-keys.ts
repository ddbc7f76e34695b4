import type { Call } from '../../../memory/call.ts';
import { checksumOf } from '../../../memory/checksum.ts';
import { isNamespaceMissing, MnemeError } from '../../../memory/errors.ts';
import { forgetFrom } from '../../../memory/facts/amend.ts';
import { type FactKey, isSingleValued, keyRecordId } from '../../../memory/facts/fact-key.ts';
import {
  ERASED_CONTENT,
  FACT_TYPE,
  type Fact,
  factContent,
  factOf,
  KEY_TYPE,
  keyContent,
  NEVER_CURRENT,
  timelineOf,
  validityOf,
} from '../../../memory/facts/fact-record.ts';
import { stateOf, type Timeline, type TimelineEntry } from '../../../memory/facts/timeline.ts';
import { DEFAULT_IMPORTANCE, DEFAULT_PRIORITY, type Memory, type Micros } from '../../../memory/memory.ts';
import { WHOLE_NAMESPACE } from '../../../memory/scope.ts';
import type { NewMemory, StoreWrite, WriteOutcome } from '../../../storage/records.ts';
import { vectorsFor } from '../memories/embed-texts.ts';
import { type MemoryDeps, onceFor } from '../memories/operation-deps.ts';
import { scopeIsPrivate } from '../visibility/visibility.ts';
import { isOutside } from './fact-deps.ts';

/** Timelines of keys, by the ids of their records. */
export class Timelines {
  private readonly byId: Map<string, { readonly key: FactKey; readonly timeline: Timeline }>;

  constructor(entries: Iterable<readonly [string, { key: FactKey; timeline: Timeline }]>) {
    this.byId = new Map(entries);
  }

  of(key: FactKey): Timeline {
    const kept = this.byId.get(keyRecordId(key));
    if (!kept) throw new Error('the timeline of a fact key was not read');
    return kept.timeline;
  }

  set(key: FactKey, timeline: Timeline): void {
    this.byId.set(keyRecordId(key), { key, timeline });
  }

  all(): IterableIterator<[string, { readonly key: FactKey; readonly timeline: Timeline }]> {
    return this.byId.entries();
  }

  copy(): Timelines {
    return new Timelines(this.byId);
  }
}

/** The effects of an edit in addition to the timelines, which it sets. */
export interface Edit<R> {
  /** New or changed facts, by id, each made from the stored one. */
  readonly facts: ReadonlyMap<string, (before: Fact | undefined) => Fact>;
  /** Duplicates of another fact of the edit or the store: ids of those by their own. */
  readonly copies?: ReadonlyMap<string, string>;
  /** Memories of forgotten facts: only an empty memory remains. */
  readonly erasedIds?: readonly string[];
  readonly result: R;
}

export interface Changed<R> {
  readonly result: R;
  readonly timelines: Timelines;
  /** Absent where nothing was written. */
  readonly outcome?: WriteOutcome;
  /** Memories that were written, by id, without their revisions. */
  readonly written: ReadonlyMap<string, NewMemory>;
}

/** Each time another writer of one of the keys gets through. */
const TRIES = 64;

/**
 * Changes facts and the timelines of their keys atomically, and only if nothing of them was changed since the read;
 * otherwise the edit is repeated. A fact whose memory was deleted counts as forgotten.
 */
export async function changeKeys<R>(
  deps: MemoryDeps,
  namespace: string,
  keys: readonly FactKey[],
  edit: (timelines: Timelines, atUs: Micros) => Edit<R>,
  call: Call,
): Promise<Changed<R>> {
  for (let attempt = 1; ; attempt++) {
    const change = await new KeyChange(deps, namespace, keys, call).prepared(edit);
    if (!change.write) return change;
    try {
      const outcome = await deps.store.write({ kind: 'store', ...change.write });
      if (change.write.memories.some(({ embeddingPending }) => embeddingPending)) deps.onEmbeddingPending();
      return { ...change, outcome };
    } catch (error) {
      const isRace = error instanceof MnemeError && error.reason === 'VERSION_MISMATCH';
      if (!isRace) throw error;
      if (attempt === TRIES)
        throw new MnemeError('OVERLOADED', `too many writers of one fact in namespaces/${namespace}`);
      call.signal.throwIfAborted();
    }
  }
}

class KeyChange {
  private readonly deps: MemoryDeps;
  private readonly namespace: string;
  private readonly keys: ReadonlyMap<string, FactKey>;
  private readonly call: Call;
  private readonly atUs: Micros;
  private readonly expectedRevisions: Record<string, number> = {};
  /** Memories outside the scopes that the caller is limited to: they count as missing, and are not replaced. */
  private readonly hiddenIds = new Set<string>();

  constructor(deps: MemoryDeps, namespace: string, keys: readonly FactKey[], call: Call) {
    this.deps = deps;
    this.namespace = namespace;
    this.keys = new Map(keys.map((key) => [keyRecordId(key), key]));
    this.call = call;
    this.atUs = deps.clock.nowUs();
  }

  async prepared<R>(
    edit: (timelines: Timelines, atUs: Micros) => Edit<R>,
  ): Promise<Omit<Changed<R>, 'outcome'> & { readonly write?: StoreWrite }> {
    const records = await this.read([...this.keys.keys()]);
    let base = new Timelines(
      [...this.keys].map(([id, key]) => [id, { key, timeline: timelineOf(records.get(id)) }] as const),
    );
    for (;;) {
      const timelines = base.copy();
      const { facts, copies = new Map<string, string>(), erasedIds = [], result } = edit(timelines, this.atUs);
      const entries = changedEntries(base, timelines, new Set(facts.keys()));
      const known = new Set([...base.all()].flatMap(([, { timeline }]) => timeline.entries.map(({ id }) => id)));
      const stored = await this.read([...entries.map(({ entry }) => entry.id), ...erasedIds]);
      const lost = entries.filter(({ key, entry }) => known.has(entry.id) && !ofKey(key, stored.get(entry.id)));
      if (lost.length > 0) {
        base = withoutLost(base, lost, this.atUs);
        continue;
      }
      const memories = [
        ...this.changedRecords(base, timelines, records),
        ...(await this.factMemories(entries, { facts, copies }, stored)),
        ...erasedIds.flatMap((id) => this.erased(stored.get(id))),
      ];
      const written = new Map(memories.map((memory) => [memory.id, memory]));
      if (memories.length === 0) return { result, timelines, written };
      return { result, timelines, written, write: this.writeOf(memories) };
    }
  }

  private writeOf(memories: readonly NewMemory[]): StoreWrite {
    const hidden = memories.find(({ id }) => this.hiddenIds.has(id));
    if (hidden) throw scopeIsPrivate(`namespaces/${this.namespace}/memories/${hidden.id}`);
    return {
      namespace: this.namespace,
      memories,
      createNamespace: this.deps.autoCreateNamespaces,
      onConflict: 'replace',
      expectedRevisions: this.expectedRevisions,
      atUs: this.atUs,
      ...onceFor(this.call),
    };
  }

  private async read(ids: readonly string[]): Promise<Map<string, Memory>> {
    if (ids.length === 0) return new Map();
    const found = await everyMemory(this.deps, this.namespace, ids, this.atUs);
    for (const [at, id] of ids.entries()) this.expectedRevisions[id] = found[at]?.revision ?? 0;
    for (const memory of found) if (memory && isOutside(memory)) this.hiddenIds.add(memory.id);
    return new Map(found.flatMap((memory) => (memory && !isOutside(memory) ? [[memory.id, memory]] : [])));
  }

  private changedRecords(base: Timelines, timelines: Timelines, records: ReadonlyMap<string, Memory>): NewMemory[] {
    const before = new Map([...base.all()].map(([id, { timeline }]) => [id, timeline]));
    return [...timelines.all()].flatMap(([id, { timeline }]) => {
      const record = records.get(id);
      const isSame = before.get(id) === timeline && (record !== undefined || timeline.entries.length === 0);
      return isSame ? [] : [recordMemory(id, timeline, record, this.atUs)];
    });
  }

  private async factMemories(
    entries: readonly ChangedEntry[],
    { facts, copies }: Required<Pick<Edit<unknown>, 'facts' | 'copies'>>,
    stored: ReadonlyMap<string, Memory>,
  ): Promise<NewMemory[]> {
    const factWith = (key: FactKey, id: string): Fact => {
      const source = copies.get(id);
      if (source !== undefined) return { ...factWith(key, source), id, recordedAtUs: this.atUs };
      return (facts.get(id) ?? unchanged)(asFact(ofKey(key, stored.get(id))));
    };
    const drafts = entries.map(({ key, entry }) => {
      return factMemory(factWith(key, entry.id), entry, ofKey(key, stored.get(entry.id)), this.atUs);
    });
    const plans = await vectorsFor(this.deps, this.namespace, drafts, () => this.call.signal);
    return drafts.map((draft, at) => {
      const { embedding: _, ...rest } = draft;
      const plan = plans[at];
      return {
        ...rest,
        embedding: plan?.embedding,
        embeddingPending: plan?.pending ?? false,
      };
    });
  }

  private erased(memory: Memory | undefined): NewMemory[] {
    if (!memory) return [];
    const { id, scope, createdAtUs } = memory;
    return [erasedMemory({ id, scope, createdAtUs, tier: memory.tier, atUs: this.atUs })];
  }
}

/**
 * Memories by their ids; none where the namespace is not there yet. Those outside the scopes that the caller is limited to
 * are left out.
 */
export async function getAll(...read: Parameters<typeof everyMemory>): Promise<(Memory | undefined)[]> {
  return (await everyMemory(...read)).map((memory) => (memory && isOutside(memory) ? undefined : memory));
}

async function everyMemory(
  { store, autoCreateNamespaces }: Pick<MemoryDeps, 'store' | 'autoCreateNamespaces'>,
  namespace: string,
  ids: readonly string[],
  nowUs: Micros,
): Promise<(Memory | undefined)[]> {
  try {
    return await store.get({ namespace, ids, view: 'full', nowUs });
  } catch (error) {
    if (autoCreateNamespaces && isNamespaceMissing(error)) return ids.map(() => undefined);
    throw error;
  }
}

interface ChangedEntry {
  readonly key: FactKey;
  readonly entry: TimelineEntry;
}

/** Entries whose memories are to be written: their interval is another one, or the edit names them. */
function changedEntries(base: Timelines, after: Timelines, named: ReadonlySet<string>): ChangedEntry[] {
  return [...after.all()].flatMap(([, { key, timeline }]) => {
    const before = new Map(base.of(key).entries.map((entry) => [entry.id, entry]));
    return timeline.entries
      .filter((entry) => entry.forgottenAtUs === undefined)
      .filter((entry) => named.has(entry.id) || stateOf(before.get(entry.id) ?? NEVER) !== stateOf(entry))
      .map((entry) => ({ key, entry }));
  });
}

const NEVER: Pick<TimelineEntry, 'states'> = { states: [] };

function withoutLost(base: Timelines, lost: readonly ChangedEntry[], atUs: Micros): Timelines {
  const amended = base.copy();
  for (const { key, entry } of lost) {
    amended.set(key, forgetFrom(amended.of(key), new Set([entry.id]), isSingleValued(key.attribute), atUs));
  }
  return amended;
}

/** The memory where its fact is of the key; one that was moved, or stored under the id of a fact, counts as missing. */
function ofKey(key: FactKey, memory: Memory | undefined): Memory | undefined {
  const fact = asFact(memory);
  return fact && keyRecordId(fact.key) === keyRecordId(key) ? memory : undefined;
}

function asFact(memory: Memory | undefined): Fact | undefined {
  return memory && factOf(memory);
}

function unchanged(before: Fact | undefined): Fact {
  if (!before) throw new Error('an entry of a timeline has no fact');
  return before;
}

/** Fields of a memory without place, tags and session data. */
const PLAIN = {
  textDerived: false,
  tags: [],
  priority: DEFAULT_PRIORITY,
  source: { speaker: '', uri: '', origin: '' },
  retrievalCount: 0,
  tier: 'short_term',
} as const;

function recordMemory(id: string, timeline: Timeline, before: Memory | undefined, atUs: Micros): NewMemory {
  const content = keyContent(timeline);
  const createdAtUs = before?.createdAtUs ?? atUs;
  return {
    ...PLAIN,
    ...NEVER_CURRENT,
    id,
    // It has digests only, so that it may be seen by all: a snapshot of an agent that is restored leaves it as it is.
    scope: WHOLE_NAMESPACE,
    type: KEY_TYPE,
    eventAtUs: createdAtUs,
    text: '',
    content,
    importance: DEFAULT_IMPORTANCE,
    createdAtUs,
    updatedAtUs: atUs,
    checksum: checksumOf('', content),
    embeddingPending: false,
  };
}

function factMemory(fact: Fact, entry: TimelineEntry, before: Memory | undefined, atUs: Micros): NewMemory {
  const state = stateOf(entry);
  if (!state) throw new Error('an entry of a timeline has no state');
  const isEnded = state.by !== undefined || entry.closed !== undefined || entry.withdrawnFor !== undefined;
  const content = factContent(fact, isEnded ? state.atUs : undefined);
  const [uri = ''] = fact.sources;
  const { namespace: _, revision: __, validUntilUs: ___, supersededBy: ____, ...kept } = before ?? FRESH;
  return {
    ...PLAIN,
    importance: DEFAULT_IMPORTANCE,
    eventAtUs: state.fromUs,
    createdAtUs: atUs,
    ...kept,
    source: { speaker: '', origin: 'mneme.facts', ...before?.source, uri: uri || (before?.source.uri ?? '') },
    id: entry.id,
    scope: fact.key.scope,
    type: FACT_TYPE,
    text: fact.text,
    content,
    ...validityOf(state, atUs),
    updatedAtUs: atUs,
    checksum: checksumOf(fact.text, content),
    embeddingPending: false,
  };
}

const FRESH: Partial<Memory> = {};

/** The replacement of a forgotten fact, until its memory is deleted: invisible to recall. */
export function erasedMemory({
  id,
  scope,
  createdAtUs,
  tier,
  atUs,
}: Pick<Memory, 'id' | 'scope' | 'createdAtUs' | 'tier'> & { readonly atUs: Micros }): NewMemory {
  return {
    ...PLAIN,
    ...NEVER_CURRENT,
    id,
    scope,
    type: FACT_TYPE,
    eventAtUs: createdAtUs,
    text: '',
    content: ERASED_CONTENT,
    importance: 0,
    createdAtUs,
    updatedAtUs: atUs,
    tier,
    checksum: checksumOf('', ERASED_CONTENT),
    embeddingPending: false,
  };
}
