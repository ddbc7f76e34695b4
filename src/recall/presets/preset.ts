import type { Filter } from '../../memory/filter.ts';
import type { Micros } from '../../memory/memory.ts';
import type { RecallWeights } from '../recall-engine.ts';
import type { Scoring } from '../scoring/scoring.ts';
import type { Parameter, ParameterReading } from './parameter-reading.ts';

/** A retrieval form by name. */
export interface Preset {
  readonly name: string;
  /** What it returns and in which order, for people. */
  readonly description: string;
  readonly parameters: readonly Parameter[];
  /** Pure. What is wrong with parameters of the right types is added to the reading. */
  resolve(reading: ParameterReading, nowUs: Micros): Plan;
}

/** What a preset asks of recall. */
export type Plan = CuePlan | ScoredPlan | SequencePlan | FusedPlan | NothingPlan;

interface PlanLimits {
  /** Takes the place of the request's default limit. */
  readonly limitDefault?: number;
  /** Most hits, whatever the request's limit. */
  readonly limitMax?: number;
}

/** Lanes look for a cue. */
export interface CuePlan extends PlanLimits {
  readonly kind: 'cue';
  readonly text?: string;
  /** A vector of the namespace's model. */
  readonly vector?: readonly number[];
  /** Where the request has the vector. */
  readonly vectorField?: string;
  readonly similarToId?: string;
  readonly weights: Partial<RecallWeights>;
  readonly minSimilarity?: number;
  readonly filter?: Filter;
  /** The score is the cosine. */
  readonly scoredByCosine: boolean;
}

/** Every memory that the filter admits is scored by itself. */
export interface ScoredPlan extends PlanLimits {
  readonly kind: 'scored';
  readonly filter?: Filter;
  readonly scoring: Scoring;
  /** The filter admits what happened in a window of this length that ends now. */
  readonly spanUs?: Micros;
  /** The form only orders: the request must have a filter of its own. */
  readonly needsFilter?: boolean;
}

/** What happened around a memory. */
export interface SequencePlan extends PlanLimits {
  readonly kind: 'sequence';
  readonly referenceId: string;
  readonly beforeCount?: number;
  readonly afterCount?: number;
  readonly windowUs?: Micros;
  /** Path of the time that orders; see `entry-place.ts`. */
  readonly timePath: string;
  /** What the memory and those around it are taken from. */
  readonly filter?: Filter;
  /** What is kept of those that were taken. */
  readonly keptFilter?: Filter;
}

/** Several plans, their hits put together: what is found by more of them gains from each. */
export interface FusedPlan extends PlanLimits {
  readonly kind: 'fused';
  readonly parts: readonly FusedPart[];
  /** How much of a part's score is its place in the part's list, 0 to 1; the rest is its score there, brought to 0 to 1 where it is not. */
  readonly placeShare: number;
}

export interface FusedPart {
  /** What an explanation calls it. */
  readonly name: string;
  readonly plan: Plan;
  readonly weight: number;
}

/** A degenerate query, which admits nothing. */
export interface NothingPlan extends PlanLimits {
  readonly kind: 'nothing';
}
