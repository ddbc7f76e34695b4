import { areOtherSpeakers } from '../equal-texts.ts';
import { CONTEXT_KINDS, type ContextCandidate, type ContextKind, type CountTokens } from './context.ts';
import { askedStems, excerptOf } from './excerpt.ts';
import { type ContextWriter, dayOf, written } from './formats.ts';
import { type Statement, StatementIndex, statementOf } from './restatements.ts';

export interface KindLimit {
  readonly maxEntries: number;
  /** Share of the budget, 0 to 1. */
  readonly maxShare: number;
}

/** Documented at `ContextKindLimit` in `proto/mneme/v1/context_service.proto`. */
export const KIND_LIMITS: Readonly<Record<ContextKind, KindLimit>> = {
  working: { maxEntries: 1000, maxShare: 0.25 },
  fact: { maxEntries: 1000, maxShare: 1 },
  procedure: { maxEntries: 1000, maxShare: 0.25 },
  episode: { maxEntries: 1000, maxShare: 0.4 },
  other: { maxEntries: 1000, maxShare: 1 },
  message: { maxEntries: 1000, maxShare: 1 },
};

export interface Selection {
  /** In tokens. */
  readonly budget: number;
  readonly limits: Readonly<Record<ContextKind, KindLimit>>;
  readonly minRelevance: number;
  /** Sentences with its words are the ones that are kept of long messages. */
  readonly query: string;
  /** Texts that the model sees anyway. */
  readonly conversation: readonly string[];
  readonly writer: ContextWriter;
  readonly count: CountTokens;
}

export type OmissionReason =
  | 'budget'
  | 'kind_limit'
  | 'duplicate'
  | 'in_conversation'
  | 'secret'
  | 'no_text'
  | 'low_relevance';

export interface Omission {
  readonly candidate: ContextCandidate;
  readonly reason: OmissionReason;
  /** For a duplicate: the entry with the same statement. */
  readonly duplicateOf?: ContextCandidate;
}

export interface SelectedEntry {
  readonly candidate: ContextCandidate;
  /** As the format writes it. */
  readonly written: string;
  readonly tokens: number;
}

export interface Selected {
  /** In the order of the context. */
  readonly entries: readonly SelectedEntry[];
  readonly omitted: readonly Omission[];
  /** The entries in their frame. */
  readonly context: string;
  /** Of the context; at most the budget. */
  readonly tokens: number;
}

/**
 * Selects the entries of a context within its tokens, from candidates best first. A candidate that does not fit is
 * omitted, and smaller ones after it may still fit. Yields between candidates, so that long work can be interrupted.
 */
export function* selectEntries(
  candidates: readonly ContextCandidate[],
  selection: Selection,
): Generator<void, Selected, void> {
  const { writer, count, budget } = selection;
  const { kept, omitted } = yield* withoutRepetitions(candidates, selection);
  const chosen: Chosen[] = [];
  const used = new KindUse(selection);
  const cut = new Excerpts(selection);
  const days = new Set<string>();
  let left = budget - count(writer.before + writer.after);
  let misfits = 0;
  for (const candidate of kept) {
    yield;
    const isFull = left < TOKENS_MIN || misfits === MISFITS_MAX;
    const reason = isFull ? 'budget' : used.refusalOf(candidate, 0);
    if (reason) {
      omitted.push({ candidate, reason });
      continue;
    }
    const day = dayOfMessage(candidate);
    const isDated = day === undefined || !days.has(day);
    const shown = cut.of(candidate, chosen.length);
    const tokens = count(writer.entry(shown, isDated) + writer.between);
    const refusal = tokens > left ? 'budget' : used.refusalOf(candidate, tokens);
    if (refusal) {
      if (refusal === 'budget') misfits++;
      omitted.push({ candidate, reason: refusal });
      continue;
    }
    left -= tokens;
    used.add(candidate, tokens);
    chosen.push({ candidate, shown, isDated, tokens });
    if (day !== undefined) days.add(day);
  }
  yield* unfold(chosen, { left, used, selection });
  return withinBudget(
    chosen.map(({ shown }) => shown),
    omitted,
    selection,
  );
}

interface Chosen {
  readonly candidate: ContextCandidate;
  /** The candidate, or an excerpt of it. */
  shown: ContextCandidate;
  readonly isDated: boolean;
  readonly tokens: number;
}

interface Room {
  readonly left: number;
  readonly used: KindUse;
  readonly selection: Selection;
}

/** Shows candidates whole, best first, in the tokens that are left. */
function* unfold(chosen: readonly Chosen[], { left: atFirst, used, selection }: Room): Generator<void, void, void> {
  const { writer, count } = selection;
  let left = atFirst;
  let misfits = 0;
  for (const one of chosen) {
    if (left < TOKENS_MIN || misfits === MISFITS_MAX) return;
    if (one.shown === one.candidate) continue;
    yield;
    const more = count(writer.entry(one.candidate, one.isDated) + writer.between) - one.tokens;
    if (more > left || !used.mayGrow(one.candidate, more)) {
      misfits++;
      continue;
    }
    left -= more;
    used.grow(one.candidate, more);
    one.shown = one.candidate;
  }
}

/** Candidates that did not fit, after which no smaller one is looked for. */
const MISFITS_MAX = 16;
/** Fewest tokens of an entry. */
const TOKENS_MIN = 6;

/** Messages at the head of the order, which are shown at more length than the others. */
const AT_LENGTH = { count: 2, budgetShare: 0.2 };
/** Excerpts of further messages share the rest of the budget as so many entries. */
const SHARED_BY = 25;
/** Shortest excerpt, and UTF-16 code units of a token of most texts. */
const EXCERPT_MIN = 240;
const UNITS_PER_TOKEN = 4;

/** Long messages as the context shows them: a few long ones must not take the room of all others. */
class Excerpts {
  private readonly asked: ReadonlySet<string>;
  private readonly budget: number;

  constructor({ query, budget }: Selection) {
    this.asked = askedStems(query);
    this.budget = budget;
  }

  /** `place`: number of entries chosen before it. */
  of(candidate: ContextCandidate, place: number): ContextCandidate {
    if (candidate.kind !== 'message') return candidate;
    const share = place < AT_LENGTH.count ? AT_LENGTH.budgetShare : 1 / SHARED_BY;
    const text = excerptOf(candidate.text, this.asked, Math.max(EXCERPT_MIN, share * this.budget * UNITS_PER_TOKEN));
    return text === candidate.text ? candidate : { ...candidate, text, reason: `${candidate.reason}, an excerpt` };
  }
}

/** Entries and tokens that each kind has used of its limit. */
class KindUse {
  private readonly selection: Selection;
  private readonly used = new Map<ContextKind, { entries: number; tokens: number }>();

  constructor(selection: Selection) {
    this.selection = selection;
  }

  refusalOf({ kind }: ContextCandidate, tokens: number): OmissionReason | undefined {
    const { maxEntries, maxShare } = this.selection.limits[kind];
    const used = this.used.get(kind);
    // In a small budget one entry alone may be more than the share.
    const share = used || maxShare === 0 ? maxShare : 1;
    const isOver = (used?.entries ?? 0) >= maxEntries || (used?.tokens ?? 0) + tokens > share * this.selection.budget;
    return isOver ? 'kind_limit' : undefined;
  }

  /** Whether an entry that is counted may have so many more tokens. */
  mayGrow({ kind }: ContextCandidate, tokens: number): boolean {
    const used = this.used.get(kind)?.tokens ?? 0;
    return used + tokens <= this.selection.limits[kind].maxShare * this.selection.budget;
  }

  grow({ kind }: ContextCandidate, tokens: number): void {
    const { entries, tokens: before } = this.used.get(kind) ?? { entries: 0, tokens: 0 };
    this.used.set(kind, { entries, tokens: before + tokens });
  }

  add({ kind }: ContextCandidate, tokens: number): void {
    const { entries, tokens: before } = this.used.get(kind) ?? { entries: 0, tokens: 0 };
    this.used.set(kind, { entries: entries + 1, tokens: before + tokens });
  }
}

/** The context of the selected entries. Tokens can span the borders of entries: an excess is removed from its end. */
function withinBudget(chosen: ContextCandidate[], omitted: Omission[], { writer, count, budget }: Selection): Selected {
  for (;;) {
    const entries = writtenInOrder(chosen, writer);
    const context = written(
      writer,
      entries.map((entry) => entry.written),
    );
    const tokens = context === '' ? 0 : count(context);
    if (tokens <= budget) {
      const counted = entries.map((entry) => ({ ...entry, tokens: count(entry.written) }));
      return { entries: counted, omitted, context, tokens };
    }
    const last = chosen.pop();
    if (last) omitted.push({ candidate: last, reason: 'budget' });
  }
}

/** Day of a message, which only the first entry of a day shows; `undefined` for other kinds. */
function dayOfMessage({ kind, atUs }: ContextCandidate): string | undefined {
  return kind === 'message' && atUs !== undefined ? dayOf(atUs) : undefined;
}

/** By kind, each kind best first; messages in their order. */
function writtenInOrder(chosen: readonly ContextCandidate[], writer: ContextWriter) {
  const ordered = CONTEXT_KINDS.flatMap((kind) => {
    const ofKind = chosen.filter((one) => one.kind === kind);
    return kind === 'message' ? ofKind.sort((a, b) => (a.atUs ?? 0) - (b.atUs ?? 0)) : ofKind;
  });
  let dayBefore: string | undefined;
  return ordered.map((candidate) => {
    const day = dayOfMessage(candidate);
    const isDated = day === undefined || day !== dayBefore;
    dayBefore = day;
    return { candidate, written: writer.entry(candidate, isDated) };
  });
}

interface Kept {
  candidate: ContextCandidate;
}

/** In UTF-16 code units: no longer text of a conversation is a restatement of a candidate. */
const SAID_LENGTH_MAX = 4000;

/**
 * Each statement once. Verbatim messages take precedence over derived entries; one speaker's words are no repetition of
 * another's.
 */
function* withoutRepetitions(
  candidates: readonly ContextCandidate[],
  { conversation, minRelevance }: Selection,
): Generator<void, { kept: ContextCandidate[]; omitted: Omission[] }, void> {
  const omitted: Omission[] = [];
  const usable: { readonly candidate: ContextCandidate; readonly statement: Statement }[] = [];
  for (const candidate of candidates) {
    yield;
    const reason = unusable(candidate, minRelevance);
    if (reason) omitted.push({ candidate, reason });
    else usable.push({ candidate, statement: statementOf(candidate.text) });
  }
  const said = conversation.filter((text) => text.length <= SAID_LENGTH_MAX).map(statementOf);
  const all = [...said, ...usable.map(({ statement }) => statement)];
  const present = new StatementIndex<string>(all);
  for (const statement of said) present.add(statement, statement.key);
  const index = new StatementIndex<Kept>(all);
  const kept: Kept[] = [];
  for (const { candidate, statement } of usable) {
    yield;
    if (present.find(statement, () => true) !== undefined) {
      omitted.push({ candidate, reason: 'in_conversation' });
      continue;
    }
    const twin = index.find(statement, (one) => !isOfOtherSpeaker(one.candidate, candidate));
    if (!twin) {
      const one = { candidate };
      kept.push(one);
      index.add(statement, one);
    } else if (candidate.kind === 'message' && twin.candidate.kind !== 'message') {
      omitted.push({ candidate: twin.candidate, reason: 'duplicate', duplicateOf: candidate });
      twin.candidate = candidate;
    } else omitted.push({ candidate, reason: 'duplicate', duplicateOf: twin.candidate });
  }
  return { kept: kept.map(({ candidate }) => candidate), omitted };
}

function unusable(
  { isSecret = false, text, kind, relevance }: ContextCandidate,
  minRelevance: number,
): OmissionReason | undefined {
  if (isSecret) return 'secret';
  if (text.trim() === '') return 'no_text';
  return kind !== 'working' && relevance < minRelevance ? 'low_relevance' : undefined;
}

function isOfOtherSpeaker(a: ContextCandidate, b: ContextCandidate): boolean {
  return a.kind === 'message' && b.kind === 'message' && areOtherSpeakers(a.source, b.source);
}
