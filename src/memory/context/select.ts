import { CONTEXT_KINDS, type ContextCandidate, type ContextKind, type CountTokens } from './context.ts';
import { type ContextWriter, written } from './formats.ts';
import { restates, type Statement, statementOf } from './restatements.ts';

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
  /** Of a duplicate: the one that says the same. */
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
 * What goes into a context of so many tokens, of candidates best first. A candidate that does not fit is left out, and
 * smaller ones after it may still fit.
 */
export function selectEntries(candidates: readonly ContextCandidate[], selection: Selection): Selected {
  const { writer, count, budget, limits } = selection;
  const { kept, omitted } = withoutRepetitions(candidates, selection);
  const chosen: SelectedEntry[] = [];
  const usedBy = new Map<ContextKind, { entries: number; tokens: number }>();
  const frame = count(writer.before + writer.after);
  const between = count(writer.between);
  let left = budget - frame;
  for (const candidate of kept) {
    const { maxEntries, maxShare } = limits[candidate.kind];
    const used = usedBy.get(candidate.kind) ?? { entries: 0, tokens: 0 };
    if (used.entries >= maxEntries) {
      omitted.push({ candidate, reason: 'kind_limit' });
      continue;
    }
    if (left < TOKENS_MIN) {
      omitted.push({ candidate, reason: 'budget' });
      continue;
    }
    const entry = writer.entry(candidate);
    const tokens = count(entry);
    if (tokens + between > left) omitted.push({ candidate, reason: 'budget' });
    else if (used.tokens + tokens > maxShare * budget) omitted.push({ candidate, reason: 'kind_limit' });
    else {
      left -= tokens + between;
      usedBy.set(candidate.kind, { entries: used.entries + 1, tokens: used.tokens + tokens });
      chosen.push({ candidate, written: entry, tokens });
    }
  }
  return withinBudget(chosen, omitted, selection);
}

/** Fewest tokens of an entry. */
const TOKENS_MIN = 6;

/** The context of what was chosen. Tokens can reach across the borders of entries: what is too much is taken off its end. */
function withinBudget(chosen: SelectedEntry[], omitted: Omission[], { writer, count, budget }: Selection): Selected {
  for (;;) {
    const entries = inOrder(chosen);
    const context = written(
      writer,
      entries.map((entry) => entry.written),
    );
    const tokens = context === '' ? 0 : count(context);
    if (tokens <= budget) return { entries, omitted, context, tokens };
    const last = chosen.pop();
    if (last) omitted.push({ candidate: last.candidate, reason: 'budget' });
  }
}

/** By kind, each kind best first; what was said in the order in which it was said. */
function inOrder(chosen: readonly SelectedEntry[]): SelectedEntry[] {
  return CONTEXT_KINDS.flatMap((kind) => {
    const ofKind = chosen.filter(({ candidate }) => candidate.kind === kind);
    if (kind !== 'message') return ofKind;
    return ofKind.sort((a, b) => (a.candidate.atUs ?? 0) - (b.candidate.atUs ?? 0));
  });
}

interface Kept {
  candidate: ContextCandidate;
  readonly statement: Statement;
}

/**
 * Each statement once. What was said word for word is kept in place of what was derived from it; one speaker's words are no
 * repetition of another's.
 */
function withoutRepetitions(
  candidates: readonly ContextCandidate[],
  { conversation, minRelevance }: Selection,
): { kept: ContextCandidate[]; omitted: Omission[] } {
  const kept: Kept[] = [];
  const omitted: Omission[] = [];
  const present = conversation.map(statementOf);
  for (const candidate of candidates) {
    const { isSecret = false, text, kind, relevance } = candidate;
    if (isSecret) omitted.push({ candidate, reason: 'secret' });
    else if (text.trim() === '') omitted.push({ candidate, reason: 'no_text' });
    else if (kind !== 'working' && relevance < minRelevance) omitted.push({ candidate, reason: 'low_relevance' });
    else {
      const statement = statementOf(text);
      const twin = kept.find((one) => isRepetition(one, { candidate, statement }));
      if (present.some((one) => restates(one, statement))) omitted.push({ candidate, reason: 'in_conversation' });
      else if (!twin) kept.push({ candidate, statement });
      else if (kind === 'message' && twin.candidate.kind !== 'message') {
        omitted.push({ candidate: twin.candidate, reason: 'duplicate', duplicateOf: candidate });
        twin.candidate = candidate;
      } else omitted.push({ candidate, reason: 'duplicate', duplicateOf: twin.candidate });
    }
  }
  return { kept: kept.map(({ candidate }) => candidate), omitted };
}

function isRepetition(one: Kept, other: Kept): boolean {
  const [a, b] = [one.candidate, other.candidate];
  const isOfOtherSpeaker = a.trust === 'stated' && b.trust === 'stated' && a.source !== b.source;
  return !isOfOtherSpeaker && restates(one.statement, other.statement);
}
