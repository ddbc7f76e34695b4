import type { Micros } from '../memory/memory.ts';
import type { ValidityView } from '../memory/validity.ts';
import { wordsOf } from '../memory/words.ts';
import { EventTimes } from './event-times.ts';
import type { ColumnRow, ColumnValidity } from './namespace-source.ts';
import { PlaceColumns } from './place-columns.ts';

const ROOM_AT_FIRST = 1024;
const NONE = -1;

/**
 * The columns that ranking needs of every memory of a namespace, in arrays indexed by sequence: some 40 bytes a memory,
 * so that a query reads rows of the store only for its hits. Sessions are linked lists in order of event time.
 */
export class NamespaceColumns {
  readonly speakers = new Speakers();
  readonly placeColumns = new PlaceColumns();
  readonly eventTimes = new EventTimes();
  /** Number of memories. */
  size = 0;
  /** All sequences in use are less than this. */
  end = 1;
  /** Memories that expire some day, are superseded or are valid for a time only. */
  private hidden = 0;
  private alive = new Uint8Array(ROOM_AT_FIRST);
  private superseded = new Uint8Array(ROOM_AT_FIRST);
  private eventAt = new Float64Array(ROOM_AT_FIRST);
  private expiresAt = new Float64Array(ROOM_AT_FIRST);
  private importances = new Float32Array(ROOM_AT_FIRST);
  private speaker = new Int32Array(ROOM_AT_FIRST);
  private session = new Int32Array(ROOM_AT_FIRST);
  private previous = new Int32Array(ROOM_AT_FIRST);
  private following = new Int32Array(ROOM_AT_FIRST);
  /** A set, because few memories sum up a conversation. */
  private readonly summaries = new Set<number>();
  /** A sparse map, because few memories have a validity. */
  private readonly validities = new Map<number, ColumnValidity>();
  private readonly sessionNumbers = new Map<string, number>();
  /** Last memory of each session. */
  private readonly tails: number[] = [];

  put(sequence: number, row: ColumnRow): void {
    this.remove(sequence);
    this.ensureCapacity(sequence);
    this.alive[sequence] = 1;
    this.superseded[sequence] = row.superseded ? 1 : 0;
    if (row.validity) this.validities.set(sequence, row.validity);
    if (row.isSummary) this.summaries.add(sequence);
    this.eventAt[sequence] = row.eventAtUs;
    this.eventTimes.add(sequence, row.eventAtUs);
    this.expiresAt[sequence] = row.expiresAtUs;
    this.importances[sequence] = row.importance;
    this.speaker[sequence] = this.speakers.add(row.speaker);
    this.session[sequence] = row.session === '' ? NONE : this.sessionNumber(row.session);
    this.placeColumns.put(sequence, row);
    this.link(sequence);
    if (this.mayHide(sequence)) this.hidden++;
    this.size++;
    if (sequence >= this.end) this.end = sequence + 1;
  }

  remove(sequence: number): void {
    if (!this.has(sequence)) return;
    this.unlink(sequence);
    if (this.mayHide(sequence)) this.hidden--;
    this.speakers.remove(this.speaker[sequence] ?? NONE);
    this.alive[sequence] = 0;
    this.validities.delete(sequence);
    this.summaries.delete(sequence);
    this.size--;
  }

  has(sequence: number): boolean {
    return this.alive[sequence] === 1;
  }

  /** Exists, is not expired, and is valid by the requested view; equivalent to `validityFilter`. */
  isCandidate(sequence: number, { nowUs, validity }: { nowUs: Micros; validity: ValidityView }): boolean {
    if (this.alive[sequence] !== 1 || (this.expiresAt[sequence] ?? 0) <= nowUs) return false;
    if (validity === 'any') return true;
    const known = this.validities.size > 0 ? this.validities.get(sequence) : undefined;
    if (validity === 'current') {
      if (this.superseded[sequence] === 1) return false;
      return known === undefined || (known.fromUs <= nowUs && nowUs < known.untilUs);
    }
    const { asOfUs } = validity;
    return (known?.knownFromUs ?? this.eventAtUs(sequence)) <= asOfUs && asOfUs < (known?.untilUs ?? Infinity);
  }

  /** False when every existing memory is a candidate at any time, except in queries for an earlier instant. */
  get hasHidden(): boolean {
    return this.hidden > 0;
  }

  /** When, after an instant, the first memory expires, begins to be valid or ends to be; `Infinity` when none will. */
  firstTurnUs(nowUs: Micros): Micros {
    let firstUs = Number.POSITIVE_INFINITY;
    for (let sequence = 1; this.hasHidden && sequence < this.end; sequence++) {
      if (this.has(sequence)) firstUs = Math.min(firstUs, this.nextTurnUs(sequence, nowUs));
    }
    return firstUs;
  }

  /** The same of one memory. */
  nextTurnUs(sequence: number, nowUs: Micros): Micros {
    const { fromUs = Infinity, untilUs = Infinity } = this.validities.get(sequence) ?? {};
    const expiresAtUs = this.expiresAtUs(sequence);
    return Math.min(
      expiresAtUs > nowUs ? expiresAtUs : Infinity,
      fromUs > nowUs ? fromUs : Infinity,
      untilUs > nowUs ? untilUs : Infinity,
    );
  }

  /** When, after an instant, the next memory begins to be valid; `Infinity` when none will. */
  firstStartUs(nowUs: Micros): Micros {
    let nextUs = Number.POSITIVE_INFINITY;
    for (const { fromUs } of this.validities.values()) if (fromUs > nowUs && fromUs < nextUs) nextUs = fromUs;
    return nextUs;
  }

  /** `Infinity` when never. */
  expiresAtUs(sequence: number): number {
    return this.expiresAt[sequence] ?? Number.POSITIVE_INFINITY;
  }

  eventAtUs(sequence: number): Micros {
    return this.eventAt[sequence] ?? 0;
  }

  importance(sequence: number): number {
    return this.importances[sequence] ?? 0;
  }

  /** Whether it states since when it holds. */
  declaresStart(sequence: number): boolean {
    return (this.validities.get(sequence)?.fromUs ?? -Infinity) !== -Infinity;
  }

  /** Whether it sums up a conversation whose messages are memories themselves. */
  isSummary(sequence: number): boolean {
    return this.summaries.has(sequence);
  }

  speakerOf(sequence: number): number {
    return this.speaker[sequence] ?? NONE;
  }

  /** Number of the session, or -1. */
  sessionOf(sequence: number): number {
    return this.session[sequence] ?? NONE;
  }

  /** Number of the session of each sequence, or -1; good until the next change. */
  get sessions(): Int32Array {
    return this.session;
  }

  /** Last memory of a session, or -1. */
  lastOf(session: number): number {
    return this.tails[session] ?? NONE;
  }

  /** All session numbers are less than this. */
  get sessionCount(): number {
    return this.tails.length;
  }

  /** The memory before and the one after each sequence in its session, or -1; good until the next change. */
  get chains(): { readonly previous: Int32Array; readonly following: Int32Array } {
    return { previous: this.previous, following: this.following };
  }

  /** Memory `steps` later in the session (earlier when negative), or -1. */
  neighbor(sequence: number, steps: number): number {
    const chain = steps < 0 ? this.previous : this.following;
    if (steps === 1 || steps === -1) return chain[sequence] ?? NONE;
    let at = sequence;
    for (let left = Math.abs(steps); left > 0 && at !== NONE; left--) at = chain[at] ?? NONE;
    return at;
  }

  get bytes(): number {
    return this.alive.length * (1 + 1 + 8 + 8 + 4 + 4 + 4 + 4 + 4) + this.placeColumns.bytes;
  }

  private mayHide(sequence: number): boolean {
    const { fromUs = -Infinity, untilUs = Infinity } = this.validities.get(sequence) ?? {};
    const isTimed = fromUs !== -Infinity || untilUs !== Infinity;
    return this.superseded[sequence] === 1 || this.expiresAt[sequence] !== Number.POSITIVE_INFINITY || isTimed;
  }

  private sessionNumber(name: string): number {
    const known = this.sessionNumbers.get(name);
    if (known !== undefined) return known;
    this.sessionNumbers.set(name, this.tails.length);
    return this.tails.push(NONE) - 1;
  }

  /** Inserts a memory into its session by event time: nearly always at the end. */
  private link(sequence: number): void {
    this.previous[sequence] = NONE;
    this.following[sequence] = NONE;
    const session = this.sessionOf(sequence);
    if (session === NONE) return;
    let before = this.tails[session] ?? NONE;
    let after = NONE;
    while (before !== NONE && this.isAfter(before, sequence)) {
      after = before;
      before = this.previous[before] ?? NONE;
    }
    this.previous[sequence] = before;
    this.following[sequence] = after;
    if (before !== NONE) this.following[before] = sequence;
    if (after !== NONE) this.previous[after] = sequence;
    else this.tails[session] = sequence;
  }

  private isAfter(one: number, other: number): boolean {
    const difference = this.eventAtUs(one) - this.eventAtUs(other);
    return difference > 0 || (difference === 0 && one > other);
  }

  private unlink(sequence: number): void {
    const session = this.sessionOf(sequence);
    if (session === NONE) return;
    const before = this.previous[sequence] ?? NONE;
    const after = this.following[sequence] ?? NONE;
    if (before !== NONE) this.following[before] = after;
    if (after !== NONE) this.previous[after] = before;
    else this.tails[session] = before;
  }

  private ensureCapacity(sequence: number): void {
    if (sequence < this.alive.length) return;
    let capacity = this.alive.length;
    while (capacity <= sequence) capacity *= 2;
    this.alive = grown(this.alive, new Uint8Array(capacity));
    this.superseded = grown(this.superseded, new Uint8Array(capacity));
    this.eventAt = grown(this.eventAt, new Float64Array(capacity));
    this.expiresAt = grown(this.expiresAt, new Float64Array(capacity));
    this.importances = grown(this.importances, new Float32Array(capacity));
    this.speaker = grown(this.speaker, new Int32Array(capacity));
    this.session = grown(this.session, new Int32Array(capacity));
    this.previous = grown(this.previous, new Int32Array(capacity));
    this.following = grown(this.following, new Int32Array(capacity));
  }
}

function grown<A extends { set(from: A): void }>(from: A, to: A): A {
  to.set(from);
  return to;
}

/** Names of roles, such as "the user": they name no person. */
const ROLES: ReadonlySet<string> = new Set(['user', 'assistant', 'system', 'agent', 'human', 'ai', 'bot', 'tool']);

/**
 * With more speakers than this, speakers are places or documents, and a speaker's name in a question is a weak signal.
 */
const PEOPLE_MAX = 25;

interface Speaker {
  readonly name: string;
  readonly words: readonly string[];
  memories: number;
}

/** The speakers of a namespace. */
export class Speakers {
  private readonly numbers = new Map<string, number>();
  private readonly all: Speaker[] = [];
  private present = 0;

  /** Number of the speaker; -1 without one. */
  add(name: string): number {
    if (name === '') return -1;
    let number = this.numbers.get(name);
    if (number === undefined) {
      number = this.all.push({ name, words: wordsOf(name).filter((word) => !ROLES.has(word)), memories: 0 }) - 1;
      this.numbers.set(name, number);
    }
    const speaker = this.all[number];
    if (speaker && speaker.memories++ === 0) this.present++;
    return number;
  }

  remove(number: number): void {
    const speaker = this.all[number];
    if (speaker && --speaker.memories === 0) this.present--;
  }

  /**
   * The text without the words that name speakers: in a namespace of few speakers other features match names, and a
   * name would distort the vector. Returns the text itself where no words would remain.
   */
  withoutNames(text: string): string {
    if (this.present > PEOPLE_MAX) return text;
    const names = new Set<string>();
    for (const { memories, words } of this.all) {
      if (memories > 0) for (const word of words) names.add(word).add(`${word}s`);
    }
    if (names.size === 0) return text;
    const kept = text.split(/\s+/).filter((part) => !wordsOf(part).some((word) => names.has(word)));
    return kept.join(' ') || text;
  }

  /** Words of the names of people; none where there are too many speakers for them to be people. */
  nameWords(): ReadonlySet<string> {
    const words = new Set<string>();
    if (this.present > PEOPLE_MAX) return words;
    for (const speaker of this.all) if (speaker.memories > 0) for (const word of speaker.words) words.add(word);
    return words;
  }

  /** Empty without a speaker. */
  nameOf(number: number): string {
    return this.all[number]?.name ?? '';
  }

  /** Speakers that the words of a question name, also in the genitive ("Carolines", from "Caroline's"). */
  named(words: ReadonlySet<string>): ReadonlySet<number> {
    const named = new Set<number>();
    if (this.present > PEOPLE_MAX) return named;
    this.all.forEach((speaker, number) => {
      if (speaker.memories === 0) return;
      if (speaker.words.some((word) => words.has(word) || words.has(`${word}s`))) named.add(number);
    });
    return named;
  }
}
