import type { Micros } from '../../memory/memory.ts';
import type { ValidityView } from '../../memory/validity.ts';
import { EventTimes } from './event-times.ts';
import { grown } from './grown.ts';
import type { KeptColumns } from './kept-columns.ts';
import type { ColumnRow, ColumnValidity } from './namespace-source.ts';
import { PlaceColumns } from './place-columns.ts';
import { Speakers } from './speakers.ts';

const ROOM_AT_FIRST = 1024;
const NONE = -1;
/** Memories from which on room grows in small steps: the unused part counts for more than copying. */
const MANY = 65_536;
/** Numbers of each kept validity. */
const VALIDITY_NUMBERS = 4;

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
  /** No importance is outside of it; it may be too wide where memories have changed. */
  private readonly importanceRange = { least: Number.POSITIVE_INFINITY, most: Number.NEGATIVE_INFINITY };
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
    this.widenImportance(sequence);
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

  /** A copy of the current state to persist. */
  toKeep(): KeptColumns {
    const { end } = this;
    const validities = [...this.validities].flatMap(([sequence, { fromUs, knownFromUs, untilUs }]) => {
      return [sequence, fromUs, knownFromUs, untilUs];
    });
    const names = {
      speakers: this.speakers.names,
      sessions: [...this.sessionNumbers.keys()],
      places: this.placeColumns.nameList,
    };
    return {
      alive: this.alive.slice(0, end),
      superseded: this.superseded.slice(0, end),
      eventTimes: this.eventAt.slice(0, end),
      expiryTimes: this.expiresAt.slice(0, end),
      importances: this.importances.slice(0, end),
      speakers: this.speaker.slice(0, end),
      sessions: this.session.slice(0, end),
      previous: this.previous.slice(0, end),
      following: this.following.slice(0, end),
      tails: Int32Array.from(this.tails),
      summaries: Float64Array.from(this.summaries),
      validities: Float64Array.from(validities),
      ...this.placeColumns.toKeep(),
      names: new Uint8Array(Buffer.from(JSON.stringify(names))),
    };
  }

  /** Takes over persisted columns; only before the first `put`. */
  adopt(kept: KeptColumns): void {
    const names = JSON.parse(Buffer.from(kept.names).toString('utf8')) as Record<
      'speakers' | 'sessions' | 'places',
      string[]
    >;
    this.alive = kept.alive;
    this.superseded = kept.superseded;
    this.eventAt = kept.eventTimes;
    this.expiresAt = kept.expiryTimes;
    this.importances = kept.importances;
    this.speaker = kept.speakers;
    this.session = kept.sessions;
    this.previous = kept.previous;
    this.following = kept.following;
    for (const tail of kept.tails) this.tails.push(tail);
    for (const [number, name] of names.sessions.entries()) this.sessionNumbers.set(name, number);
    for (const sequence of kept.summaries) this.summaries.add(sequence);
    for (let at = 0; at < kept.validities.length; at += VALIDITY_NUMBERS) {
      const [sequence = 0, fromUs = 0, knownFromUs = 0, untilUs = 0] = kept.validities.subarray(
        at,
        at + VALIDITY_NUMBERS,
      );
      this.validities.set(sequence, { fromUs, knownFromUs, untilUs });
    }
    this.placeColumns.adopt(kept, names.places);
    this.end = kept.alive.length;
    this.countAdopted(names.speakers);
  }

  private countAdopted(speakers: readonly string[]): void {
    const memories = new Uint32Array(speakers.length);
    for (let sequence = 1; sequence < this.end; sequence++) {
      if (!this.has(sequence)) continue;
      this.size++;
      this.eventTimes.add(sequence, this.eventAtUs(sequence));
      if (this.mayHide(sequence)) this.hidden++;
      this.widenImportance(sequence);
      const speaker = this.speakerOf(sequence);
      if (speaker !== NONE) memories[speaker] = (memories[speaker] as number) + 1;
    }
    this.speakers.adopt(speakers, memories);
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

  /** The difference of no two importances is greater. */
  get importanceSpan(): number {
    const { least, most } = this.importanceRange;
    return Math.max(0, most - least);
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

  /** Event times by sequence, of memories that exist; good until the next change. */
  get eventNumbers(): Float64Array {
    return this.eventAt;
  }

  /** When each expires, by sequence, `Infinity` when never; of memories that exist; good until the next change. */
  get expiryNumbers(): Float64Array {
    return this.expiresAt;
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

  private widenImportance(sequence: number): void {
    const range = this.importanceRange;
    const importance = this.importance(sequence);
    if (importance < range.least) range.least = importance;
    if (importance > range.most) range.most = importance;
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
    while (capacity <= sequence) capacity = Math.ceil(capacity * (capacity < MANY ? 2 : 1.125));
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
