import type { Filter } from '../../memory/filter.ts';
import type { Micros } from '../../memory/memory.ts';
import type { ComparedState } from '../../memory/states/state.ts';
import type { RecallWeights } from '../recall/recall-engine.ts';
import type { Scoring } from '../scoring/scoring.ts';
import type { Parameter, ParameterReading } from './parameter-reading.ts';

/** A retrieval form by name. */
export interface Preset {
  readonly name: string;
  /** Description of the results and their order, for documentation. */
  readonly description: string;
  readonly parameters: readonly Parameter[];
  /** Pure. Violations in parameters of the right types are added to the reading. */
  resolve(reading: ParameterReading, nowUs: Micros): Plan;
}

/** The recall that a preset requests. */
export type Plan = CuePlan | ScoredPlan | SequencePlan | FusedPlan | NothingPlan;

interface PlanLimits {
  /** Replaces the request's default limit. */
  readonly limitDefault?: number;
  /** Maximum number of hits, whatever the request's limit. */
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
  /** A state to be compared, whose texts are in `text` too. */
  readonly state?: ComparedState;
  /** The score is the cosine, or the similarity to the state. */
  readonly scoredByCosine: boolean;
}

/** Every memory that the filter admits is scored individually. */
export interface ScoredPlan extends PlanLimits {
  readonly kind: 'scored';
  readonly filter?: Filter;
  readonly scoring: Scoring;
  /** The filter admits events in a window of this length that ends now. */
  readonly spanUs?: Micros;
  /** The preset only orders: the request must have a filter of its own. */
  readonly needsFilter?: boolean;
}

/** The events around a memory. */
export interface SequencePlan extends PlanLimits {
  readonly kind: 'sequence';
  readonly referenceId: string;
  readonly beforeCount?: number;
  readonly afterCount?: number;
  readonly windowUs?: Micros;
  /** Path of the time that orders; see `entry-place.ts`. */
  readonly timePath: string;
  /** Filter for the memory itself and its surroundings. */
  readonly filter?: Filter;
  /** Filter applied to the selected memories afterwards. */
  readonly keptFilter?: Filter;
}

/** Several plans whose hits are fused: a memory found by several plans gains from each. */
export interface FusedPlan extends PlanLimits {
  readonly kind: 'fused';
  readonly parts: readonly FusedPart[];
  /** How much of a part's score is its place in the part's list, 0 to 1; the rest is its score there, brought to 0 to 1 where it is not. */
  readonly placeShare: number;
}

export interface FusedPart {
  /** Name in an explanation. */
  readonly name: string;
  readonly plan: Plan;
  readonly weight: number;
}

/** A degenerate query, which admits no memory. */
export interface NothingPlan extends PlanLimits {
  readonly kind: 'nothing';
}
