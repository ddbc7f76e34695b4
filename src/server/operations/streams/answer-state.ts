import type { Micros } from '../../../memory/memory.ts';
import { namesTime } from '../../../memory/time/time-expressions.ts';
import { stretchOf, zonedWindow } from '../../../memory/time-window.ts';
import { resolvePreset } from '../../../search/presets/presets.ts';
import { spansOf } from '../../../search/presets/temporal.ts';
import type { ScoredHit } from '../../../search/recall/recall-engine.ts';
import type { StandingQuery } from '../../../search/standing/standing-query.ts';
import type { RecallAnswer, RecallHit, RecallRequest } from '../recall/recall-request.ts';
import type { RecallEvent } from './subscribe-request.ts';

/** Score changes due to passing time alone that are too small to send. */
const SCORE_STEP = 0.001;

interface SentHit {
  readonly place: number;
  readonly score: number;
  readonly revision: number;
  /** Names its neighbours and their revisions; empty where there are none. */
  readonly around: string;
  readonly eventAtUs: Micros;
  readonly expiresAtUs: Micros | undefined;
  readonly validUntilUs: Micros | undefined;
}

/** Unchanged hits of an answer, by position. They were not read. */
export type KeptHits = ReadonlyMap<number, string>;

export const NONE_KEPT: KeptHits = new Map();

/** The answer to a standing query as its reader knows it. */
export class AnswerState {
  private readonly sent = new Map<string, SentHit>();

  ids(): readonly string[] {
    return [...this.sent.keys()];
  }

  /** The event times, expiries and ends of validity of the hits that were sent. */
  times(): Iterable<Pick<SentHit, 'eventAtUs' | 'expiresAtUs' | 'validUntilUs'>> {
    return this.sent.values();
  }

  /** Whether a hit without neighbours at a position, from 1, is unchanged. */
  knows({ id, score, revision }: ScoredHit, place: number): boolean {
    const sent = this.sent.get(id);
    return sent !== undefined && !isOther(sent, { place, score, revision, around: '' });
  }

  /**
   * Events that transform the sent state into this answer, which then counts as sent. Unchanged hits are part of it,
   * too.
   */
  eventsTo({ hits }: Pick<RecallAnswer, 'hits'>, kept = NONE_KEPT): RecallEvent[] {
    const present = new Set(kept.values());
    for (const { memory } of hits) present.add(memory.id);
    const events: RecallEvent[] = [];
    for (const id of this.sent.keys()) {
      if (present.has(id)) continue;
      events.push({ kind: 'leave', id });
      this.sent.delete(id);
    }
    let place = 0;
    for (const hit of hits) {
      do place++;
      while (kept.has(place));
      const { id } = hit.memory;
      const before = this.sent.get(id);
      const sent = sentHitOf(hit, place);
      // An unsent score change accumulates relative to the sent score.
      if (before && !isOther(before, sent)) continue;
      events.push({ kind: before ? 'update' : 'enter', id, hit, place });
      this.sent.set(id, sent);
    }
    return events;
  }
}

type Compared = Pick<SentHit, 'place' | 'score' | 'revision' | 'around'>;

function isOther(before: SentHit, now: Compared): boolean {
  const isMoved = before.place !== now.place || Math.abs(before.score - now.score) > SCORE_STEP;
  return isMoved || before.revision !== now.revision || before.around !== now.around;
}

function sentHitOf({ memory, score, before, after }: RecallHit, place: number): SentHit {
  const { revision, eventAtUs, expiresAtUs, validUntilUs } = memory;
  const around = [...before, ...after].map((neighbor) => `${neighbor.id}@${neighbor.revision}`).join();
  return { place, score, revision, around, eventAtUs, expiresAtUs, validUntilUs };
}

const SECOND_US = 1_000_000;
/** Recency falls so slowly that an answer which is this much of a half-life old is as good as new. */
const HALF_LIFE_SHARE = 1000;
const REFRESH_MAX_US = 3600 * SECOND_US;
/** Lifetime of a parsed relative time such as "yesterday" or "two hours ago". */
const TIME_REFRESH_US = 60 * SECOND_US;
/** Values that a preset reads from contents, such as the time of a window, may take effect at an unknown instant. */
const PRESET_REFRESH_US = 60 * SECOND_US;

/**
 * The next instant at which time alone may change the answer, which was sent; `Infinity` when none will.
 * `upToNow`: of windows that end now how long they are, and when the next memory happens.
 */
export function nextEvaluationUs(
  request: RecallRequest,
  {
    degraded,
    nearExpiresAtUs,
    nextValidAtUs,
    untilUs,
  }: Pick<RecallAnswer, 'degraded' | 'nearExpiresAtUs' | 'nextValidAtUs' | 'untilUs'>,
  sent: Pick<AnswerState, 'times'>,
  nowUs: Micros,
  upToNow: { readonly spansUs: readonly Micros[]; readonly nextEventAtUs: Micros },
): Micros {
  const { timeWindow, weights, halfLifeUs, nearTime } = request;
  const instants: number[] = [];
  for (const { expiresAtUs, validUntilUs } of sent.times()) {
    if (expiresAtUs !== undefined) instants.push(expiresAtUs);
    if (validUntilUs !== undefined && request.validity === 'current') instants.push(validUntilUs);
  }
  if (nearExpiresAtUs !== undefined) instants.push(nearExpiresAtUs);
  if (nextValidAtUs !== undefined && request.validity === 'current') instants.push(nextValidAtUs);
  // Degraded parts may have recovered, and pending vectors may have been computed.
  const isUnsettled = untilUs !== undefined && untilUs <= nowUs;
  if (degraded.length > 0 || isUnsettled) instants.push(nowUs + SECOND_US);
  if (weights.recency !== 0 || nearTime) {
    instants.push(nowUs + Math.min(Math.max(halfLifeUs / HALF_LIFE_SHARE, SECOND_US), REFRESH_MAX_US));
  }
  if (request.referenceUs === undefined && namesTime(request.text)) instants.push(nowUs + TIME_REFRESH_US);
  if (request.preset) instants.push(nowUs + PRESET_REFRESH_US);
  for (const spanUs of upToNow.spansUs) {
    // The window may include the instant that is exactly one span ago.
    for (const { eventAtUs } of sent.times()) instants.push(eventAtUs + spanUs + 1);
  }
  instants.push(upToNow.nextEventAtUs);
  if (timeWindow?.kind === 'period') {
    instants.push(
      stretchOf({ ...zonedWindow(timeWindow, request.timeZone), ago: 0 }, nowUs).untilUs ?? Number.POSITIVE_INFINITY,
    );
  }
  return Math.max(Math.min(...instants, Number.POSITIVE_INFINITY), nowUs);
}

/** Lengths of the windows that end now, independent of the current time. */
export function spansUpToNow({ timeWindow, preset }: RecallRequest, nowUs: Micros): readonly Micros[] {
  const ofPreset = preset && preset.nowUs === undefined ? spansOf(resolvePreset(preset, nowUs)) : [];
  return timeWindow?.kind === 'last' ? [timeWindow.spanUs, ...ofPreset] : ofPreset;
}

/** Time that changes which hardly matter may wait for others: one evaluation then serves them all. */
const SETTLE_MS = 250;
/** A query is evaluated for at most so much of the time because of changes that hardly matter. */
const SETTLE_SHARE = 0.1;
const PAUSE_MAX_MS = 60_000;
const RETRY_MS = 1000;

/** When a query is to be evaluated again, and why. */
export class Schedule {
  private urgency: Urgency | undefined;
  private dirtySinceMs = 0;
  private evaluatedAtMs = 0;
  private costMs = 0;
  private nextAtUs = Number.POSITIVE_INFINITY;

  get isDirty(): boolean {
    return this.urgency !== undefined;
  }

  add(urgency: Urgency): void {
    if (!this.urgency) this.dirtySinceMs = performance.now();
    if (this.urgency !== 'urgent') this.urgency = urgency;
  }

  /** Milliseconds until the next evaluation is due. */
  dueInMs(nowUs: number): number {
    const byTime = (this.nextAtUs - nowUs) / 1000;
    if (!this.urgency) return byTime;
    const nowMs = performance.now();
    // A query that every write affects pauses for as long as its evaluation took.
    const rest = this.evaluatedAtMs + Math.min(this.costMs, PAUSE_MAX_MS) - nowMs;
    if (this.urgency === 'urgent') return Math.min(byTime, rest);
    const settled = this.dirtySinceMs + SETTLE_MS - nowMs;
    const share = this.evaluatedAtMs + Math.min(this.costMs / SETTLE_SHARE, PAUSE_MAX_MS) - nowMs;
    return Math.min(byTime, Math.max(settled, share));
  }

  /** Changes that come while the evaluation runs may be in its answer or not. */
  begin(): void {
    this.urgency = undefined;
    this.evaluatedAtMs = performance.now();
  }

  /** The evaluation has failed: its cause still has to be processed, a little later. */
  fail(): void {
    this.end(Number.POSITIVE_INFINITY);
    this.costMs = RETRY_MS;
    this.add('urgent');
  }

  end(nextAtUs: number): void {
    const nowMs = performance.now();
    this.costMs = nowMs - this.evaluatedAtMs;
    this.evaluatedAtMs = nowMs;
    this.nextAtUs = nextAtUs;
  }
}

/** How soon a query is to be asked again. */
export type Urgency = 'urgent' | 'settling';

/** A registered standing query. */
export interface Standing {
  /** Names the query to the index. */
  readonly id: number;
  /** As the index knows it. */
  readonly query: StandingQuery;
  /**
   * The memories that may be returned can differ from the query's filter: policies, or the owner of a session, have
   * changed.
   */
  isOutdated: boolean;
  /** Every change up to this revision either has no effect on the query or was reported by `onAffected`. */
  readonly revision: number;
  /** An answer is looked for from now on, until `setMembers` has set its members. */
  beginSearch(): void;
  /** From now on changes count by this query, which is of the same kind. Fails with NAMESPACE_NOT_FOUND. */
  renew(query: StandingQuery): Promise<void>;
  /**
   * Memories of which every change matters: those in the answer, those deleted before they could be read, and those
   * that the query is about. The answer may miss a change since `beginSearch` of a newly added member: the query is
   * then evaluated again.
   */
  setMembers(ids: readonly string[]): void;
  end(): void;
}
