import type { FeatureKind, FeatureMembers } from './features.ts';
import { cited, countsOf, type EpisodePattern, type History, type ReflectionOptions } from './findings.ts';
import { patternText } from './sentences.ts';
import { binomialUpperTail, comparisons } from './statistics.ts';

/** Kinds of features by which episodes recur. */
const RECURRING: ReadonlySet<FeatureKind> = new Set(['task', 'tag', 'action']);
/** Share of the episodes of a pattern from which on another one says the same. */
const SAME_SHARE = 0.8;

interface Candidate {
  readonly feature: FeatureMembers;
  readonly kind: EpisodePattern['kind'];
  readonly p: number;
}

/** Tasks, tags and actions whose episodes mostly fail or mostly succeed: failures first, then the clearest. */
export function* patternsOf(
  history: History,
  features: readonly FeatureMembers[],
  options: ReflectionOptions,
): Generator<void, EpisodePattern[]> {
  const recurring = features.filter(({ kind }) => RECURRING.has(kind));
  // Each feature is compared twice: for success and for failure.
  const smallest = recurring.flatMap(({ members }) => [0.5 ** members.length, 0.5 ** members.length]);
  const count = comparisons(smallest, 1 - options.confidenceMin);
  const candidates: Candidate[] = [];
  for (const feature of recurring) {
    const { episodes, successes, failures } = countsOf(history.records, feature.members);
    const ways = [
      ['recurring_failure', failures],
      ['recurring_success', successes],
    ] as const;
    for (const [kind, hits] of ways) {
      const p = binomialUpperTail(hits, episodes) * count;
      if (p <= 1 - options.confidenceMin) candidates.push({ feature, kind, p });
    }
    yield;
  }
  const patterns: Candidate[] = [];
  for (const one of candidates.sort(byClarity)) {
    if (patterns.length >= options.limit) break;
    if (!patterns.some((known) => known.kind === one.kind && isSame(one.feature, known.feature))) patterns.push(one);
    yield;
  }
  return patterns.map((one) => patternOf(history, one, options));
}

function byClarity(one: Candidate, other: Candidate): number {
  return (
    (one.kind < other.kind ? -1 : one.kind > other.kind ? 1 : 0) ||
    one.p - other.p ||
    (one.feature.value < other.feature.value ? -1 : 1)
  );
}

function isSame({ members }: FeatureMembers, known: FeatureMembers): boolean {
  const others = new Set(known.members);
  return members.filter((at) => others.has(at)).length >= SAME_SHARE * members.length;
}

function patternOf(history: History, { feature, kind, p }: Candidate, options: ReflectionOptions): EpisodePattern {
  const counts = countsOf(history.records, feature.members);
  const outcome = kind === 'recurring_failure' ? 'failure' : 'success';
  const facts = { kind, feature: { kind: feature.kind, value: feature.value }, counts };
  return {
    ...facts,
    confidence: 1 - p,
    text: patternText(facts),
    episodes: cited(history, feature.members, options, (record) => record.outcome === outcome),
  };
}
