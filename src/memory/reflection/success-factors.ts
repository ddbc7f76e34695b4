import type { FeatureKind, FeatureMembers } from './features.ts';
import {
  cited,
  countsOf,
  type History,
  type OutcomeCounts,
  RATE_DIFFERENCE_MIN,
  type ReflectionOptions,
  type SuccessFactor,
  without,
} from './findings.ts';
import { factorText } from './sentences.ts';
import { comparisons, fisherTest, smallestFisher, stratifiedTest, type Table } from './statistics.ts';

/** Of features that are equally clear, the one that says most about what to do comes first. */
export const KIND_ORDER: readonly FeatureKind[] = [
  ...(['action', 'task', 'tag', 'task_word', 'action_sequence', 'agent', 'agent_type', 'project'] as const),
  ...(['metadata', 'preceding_outcome', 'time_of_day', 'weekend', 'many_actions'] as const),
  ...(['long_duration', 'many_tokens'] as const),
];

/** Circumstances come before other features only where they are clearer by this factor. */
const CIRCUMSTANCE_WEIGHT = 10;
const CIRCUMSTANCES: ReadonlySet<FeatureKind> = new Set(KIND_ORDER.slice(KIND_ORDER.indexOf('preceding_outcome')));

const RELATED_MAX = 5;
/** Clear features that are compared with each other. */
const CLEAR_MAX = 100;
/** A difference that is less clear than this beside another feature is explained by that one. */
const EXPLAINED_P = 0.05;

interface Candidate {
  readonly feature: FeatureMembers;
  readonly table: Table;
  readonly smallest: number;
}

interface Clear extends Candidate {
  readonly p: number;
}

/** Features whose episodes succeed more often, or less often, than episodes that lack them: the clearest first. */
export function* successFactors(
  history: History,
  features: readonly FeatureMembers[],
  options: ReflectionOptions,
): Generator<void, SuccessFactor[]> {
  const { confidenceMin, limit } = options;
  const isHit = history.records.map(({ outcome }) => outcome === 'success');
  const hitsOf = (places: readonly number[]) => places.reduce((sum, at) => sum + (isHit[at] ? 1 : 0), 0);
  const candidates: Candidate[] = [];
  for (const feature of distinct(features)) {
    const all = feature.universe.members.length;
    const present = feature.members.length;
    if (all - present >= options.supportMin) {
      const table = { presentHits: hitsOf(feature.members), present, hits: hitsOf(feature.universe.members), all };
      candidates.push({ feature, table, smallest: smallestFisher(table) });
    }
    yield;
  }
  const count = comparisons(
    candidates.map(({ smallest }) => smallest),
    1 - confidenceMin,
  );
  const clear: Clear[] = [];
  for (const candidate of candidates) {
    yield;
    if (candidate.smallest * count > 1 - confidenceMin || differenceIn(candidate.table) < RATE_DIFFERENCE_MIN) continue;
    const p = fisherTest(candidate.table) * count;
    if (p <= 1 - confidenceMin) clear.push({ ...candidate, p });
  }
  const factors: { readonly clear: Clear; readonly related: FeatureMembers[] }[] = [];
  for (const one of clear.sort(byClarity).slice(0, CLEAR_MAX)) {
    const explaining = factors.find(({ clear: { feature } }) => isExplained(one.feature, feature, isHit));
    if (!explaining) factors.push({ clear: one, related: [] });
    else explaining.related.push(one.feature);
    yield;
  }
  return factors.slice(0, limit).map(({ clear: one, related }) => factorOf(history, one, related, options));
}

/** Features of the same episodes are one comparison: the first of them by kind stands for the others. */
function distinct(features: readonly FeatureMembers[]): FeatureMembers[] {
  const known = new Map<string, FeatureMembers>();
  const byKind = [...features].sort(
    (one, other) => KIND_ORDER.indexOf(one.kind) - KIND_ORDER.indexOf(other.kind) || (one.value < other.value ? -1 : 1),
  );
  for (const feature of byKind) {
    const key = `${feature.universe.members.length} ${feature.members.join(' ')}`;
    if (!known.has(key)) known.set(key, feature);
  }
  return [...known.values()];
}

function differenceIn({ presentHits, present, hits, all }: Table): number {
  return Math.abs(presentHits / present - (hits - presentHits) / (all - present));
}

function byClarity(one: Clear, other: Clear): number {
  return (
    weighted(one) - weighted(other) ||
    KIND_ORDER.indexOf(one.feature.kind) - KIND_ORDER.indexOf(other.feature.kind) ||
    other.table.present - one.table.present ||
    (one.feature.value < other.feature.value ? -1 : 1)
  );
}

function weighted({ p, feature }: Clear): number {
  return CIRCUMSTANCES.has(feature.kind) ? CIRCUMSTANCE_WEIGHT * p : p;
}

/** True where a feature shows no clear difference among the episodes that have another feature, and among the rest. */
function isExplained(feature: FeatureMembers, by: FeatureMembers, isHit: readonly boolean[]): boolean {
  const own = new Set(feature.members);
  const split = new Set(by.members);
  const parts = [feature.universe.members.filter((at) => split.has(at)), without(feature.universe.members, by.members)];
  const hitsOf = (places: readonly number[]) => places.filter((at) => isHit[at]).length;
  const strata = parts.map((places): Table => {
    const present = places.filter((at) => own.has(at));
    return { presentHits: hitsOf(present), present: present.length, hits: hitsOf(places), all: places.length };
  });
  return stratifiedTest(strata) > EXPLAINED_P;
}

function factorOf(
  history: History,
  { feature, p }: Clear,
  related: readonly FeatureMembers[],
  options: ReflectionOptions,
): SuccessFactor {
  const { kind, value, members, universe } = feature;
  const present = countsOf(history.records, members);
  const absent = countsOf(history.records, without(universe.members, members));
  const lift = smoothedRate(present) / smoothedRate(absent);
  const helps = lift >= 1;
  const facts = { feature: { kind, value }, present, absent, lift };
  return {
    ...facts,
    related: related.slice(0, RELATED_MAX).map((one) => ({ kind: one.kind, value: one.value })),
    confidence: 1 - p,
    text: factorText(facts),
    episodes: cited(history, members, options, ({ outcome }) => (outcome === 'success') === helps),
  };
}

/** The success rate with one success and one failure more, so that no rate is 0. */
function smoothedRate({ successes, episodes }: OutcomeCounts): number {
  return (successes + 1) / (episodes + 2);
}
