import { STOP_WORDS, stemOf, wordsOf } from '../words.ts';
import { comparable, type EpisodeRecord } from './episode-record.ts';
import { medianOfSorted } from './statistics.ts';

export type FeatureKind =
  | 'action'
  | 'task'
  | 'tag'
  | 'task_word'
  | 'action_sequence'
  | 'agent'
  | 'agent_type'
  | 'project'
  | 'metadata'
  | 'preceding_outcome'
  | 'time_of_day'
  | 'weekend'
  | 'many_actions'
  | 'long_duration'
  | 'many_tokens';

/** A property that an episode has or lacks. */
export interface Feature {
  readonly kind: FeatureKind;
  readonly value: string;
}

/** A feature and the episodes that have it, as places in the history, in order. */
export interface FeatureMembers extends Feature {
  readonly members: readonly number[];
  /** The episodes that record such features. */
  readonly universe: Universe;
}

export interface Universe {
  readonly members: readonly number[];
}

/** Features beyond this number are not compared: the rarest are left out. */
const FEATURES_MAX = 2000;
const WORD_LENGTH_MIN = 3;
/** Episodes of a task from which on one of them is long or short. */
const OF_TASK_MIN = 3;
const QUARTERS = ['00:00-06:00', '06:00-12:00', '12:00-18:00', '18:00-24:00'] as const;
export const WEEKEND = 'Saturday or Sunday';

/** One feature while it is collected. */
interface Draft {
  readonly kind: FeatureKind;
  /** The value as it is written first; where another episode writes it differently, the form that is compared. */
  value: string;
  readonly universe: string;
  readonly members: number[];
}

class Collection {
  private readonly drafts = new Map<string, Draft>();
  private readonly universes = new Map<string, number[]>();

  /** Says that an episode records features of this universe. */
  records(universe: string, at: number): void {
    const members = this.universes.get(universe) ?? [];
    if (members.at(-1) !== at) members.push(at);
    this.universes.set(universe, members);
  }

  add(kind: FeatureKind, at: number, value: string, form = value, universe: string = kind): void {
    const key = `${kind}\n${form}`;
    const draft = this.drafts.get(key) ?? { kind, value, universe, members: [] };
    if (draft.value !== value) draft.value = form;
    if (draft.members.at(-1) !== at) draft.members.push(at);
    this.drafts.set(key, draft);
  }

  /** Features that at least `supportMin` episodes have and as many lack. */
  features(supportMin: number): FeatureMembers[] {
    const universes = new Map([...this.universes].map(([name, members]) => [name, { members }]));
    const found = [...this.drafts.values()].flatMap(({ universe: name, ...feature }): FeatureMembers[] => {
      const universe = universes.get(name) ?? { members: [] };
      return feature.members.length < supportMin ? [] : [{ ...feature, universe }];
    });
    return found.sort((one, other) => other.members.length - one.members.length).slice(0, FEATURES_MAX);
  }
}

/** Features of a history, in order of its time. `from`: place of the first episode that counts; those before only precede. */
export function* featuresOf(
  history: readonly EpisodeRecord[],
  from: number,
  supportMin: number,
): Generator<void, FeatureMembers[]> {
  const collection = new Collection();
  const limits = yield* mediansOf(history, from);
  const before = new Map<string, EpisodeRecord>();
  for (const [at, record] of history.entries()) {
    const scope = JSON.stringify(record.scope);
    if (at >= from) {
      addContents(collection, at, record);
      addSurroundings(collection, at, record, before.get(scope));
      addSizes(collection, at, record, limits);
    }
    before.set(scope, record);
    yield;
  }
  return collection.features(supportMin);
}

function addContents(collection: Collection, at: number, { task, tags, actions, metadata }: EpisodeRecord): void {
  if (task !== '') {
    for (const universe of ['task', 'task_word']) collection.records(universe, at);
    collection.add('task', at, task, comparable(task));
    for (const word of contentWords(task)) collection.add('task_word', at, word, stemOf(word));
  }
  collection.records('tag', at);
  for (const tag of tags) collection.add('tag', at, tag);
  for (const entry of metadata) {
    const universe = `metadata\n${entry.slice(0, entry.indexOf('='))}`;
    collection.records(universe, at);
    collection.add('metadata', at, entry, entry, universe);
  }
  if (actions.length === 0) return;
  for (const universe of ['action', 'action_sequence', 'many_actions']) collection.records(universe, at);
  let former: { readonly value: string; readonly form: string } | undefined;
  for (const value of actions) {
    const form = comparable(value);
    collection.add('action', at, value, form);
    if (former && former.form !== form) {
      collection.add('action_sequence', at, `${former.value} → ${value}`, `${former.form} → ${form}`);
    }
    former = { value, form };
  }
}

/** Words of a task that may say what it is about, each once. */
function contentWords(task: string): string[] {
  const words = wordsOf(task).filter(
    (word) => word.length >= WORD_LENGTH_MIN && !STOP_WORDS.has(word) && !/^\p{N}+$/u.test(word),
  );
  return [...new Map(words.map((word) => [stemOf(word), word])).values()];
}

function addSurroundings(
  collection: Collection,
  at: number,
  { scope, atUs }: EpisodeRecord,
  before: EpisodeRecord | undefined,
): void {
  const parts = [
    ['project', scope.project],
    ['agent_type', scope.agentType],
    ['agent', scope.agent],
  ] as const;
  for (const [kind, value] of parts) {
    if (value === '') continue;
    collection.records(kind, at);
    collection.add(kind, at, value);
  }
  if (before) {
    collection.records('preceding_outcome', at);
    collection.add('preceding_outcome', at, before.outcome);
  }
  const time = new Date(atUs / 1000);
  for (const universe of ['time_of_day', 'weekend']) collection.records(universe, at);
  collection.add('time_of_day', at, QUARTERS[Math.floor(time.getUTCHours() / 6)] ?? '');
  if (time.getUTCDay() % 6 === 0) collection.add('weekend', at, WEEKEND);
}

interface Medians {
  readonly actions: number;
  /** By task in its comparable form. */
  readonly seconds: ReadonlyMap<string, number>;
  readonly tokens: ReadonlyMap<string, number>;
}

function addSizes(collection: Collection, at: number, record: EpisodeRecord, medians: Medians): void {
  const { actions, task, durationSeconds, tokens } = record;
  if (actions.length > medians.actions) collection.add('many_actions', at, String(medians.actions));
  const form = comparable(task);
  const measures = [
    ['long_duration', durationSeconds, medians.seconds.get(form)],
    ['many_tokens', tokens, medians.tokens.get(form)],
  ] as const;
  for (const [kind, value, limit] of measures) {
    if (value === undefined || limit === undefined) continue;
    collection.records(kind, at);
    if (value > limit) collection.add(kind, at, '');
  }
}

function* mediansOf(history: readonly EpisodeRecord[], from: number): Generator<void, Medians> {
  const records = history.slice(from);
  const counts = records.flatMap(({ actions }) => (actions.length === 0 ? [] : [actions.length]));
  return {
    actions: Math.floor(medianOfSorted(counts.sort((one, other) => one - other))),
    seconds: yield* mediansByTask(records, ({ durationSeconds }) => durationSeconds),
    tokens: yield* mediansByTask(records, ({ tokens }) => tokens),
  };
}

/** Medians of a measure by the comparable form of the task, of tasks with at least three values. */
export function* mediansByTask(
  records: readonly EpisodeRecord[],
  measure: (record: EpisodeRecord) => number | undefined,
): Generator<void, Map<string, number>> {
  const values = new Map<string, number[]>();
  for (const record of records) {
    yield;
    const value = measure(record);
    if (value === undefined) continue;
    const form = comparable(record.task);
    const known = values.get(form);
    if (known) known.push(value);
    else values.set(form, [value]);
  }
  const enough = [...values].filter(([, all]) => all.length >= OF_TASK_MIN);
  return new Map(enough.map(([form, all]) => [form, medianOfSorted(all.sort((one, other) => one - other))]));
}
