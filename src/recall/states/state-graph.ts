import type { StateLeaf } from '../../memory/states/state.ts';
import { type ScaledLeaf, STATE_DIMENSIONS, stateVector } from '../../memory/states/state-vector.ts';
import type { VectorGraph } from '../../vector-index/vector-index.ts';
import { CandidateGraph, type Nearby } from '../candidate-graph.ts';

/** Median and spread of a field of numbers. */
export interface FieldScale {
  readonly center: number;
  readonly spread: number;
}

/** A field whose spread has changed by this factor, or its median by this many spreads, makes the vectors useless. */
const DRIFT_MAX = 2;

/** The fields and values that vectors are made of. */
export interface StateFields {
  /** Calls `each` for every value of a state. */
  eachLeaf(sequence: number, each: (field: number, value: number) => void): void;
  /** `undefined` for a field that no state has. */
  fieldOf(leaf: StateLeaf): number | undefined;
  /** Hash of the place and kind of a field. */
  hashOf(field: number): number;
  isNumber(field: number): boolean;
  /** Now. */
  scaleOf(field: number): FieldScale;
}

/** Graphs of the vectors of a namespace's states; a new one where the scale of a field has changed much. */
export class StateGraph {
  private readonly fields: StateFields;
  private graph: CandidateGraph | undefined;
  /** Of the fields at the time when the graph was begun. */
  private readonly scales = new Map<number, FieldScale>();

  constructor(fields: StateFields) {
    this.fields = fields;
  }

  change(sequence: number): void {
    this.graph?.change(sequence);
  }

  /** Puts states below `end` in for about `budgetMs`; false when there is no need or all are in. */
  grow(newGraph: (dimension: number) => VectorGraph | undefined, end: number, budgetMs: number): boolean {
    if (!this.graph) {
      const graph = newGraph(STATE_DIMENSIONS);
      if (!graph) return false;
      this.scales.clear();
      this.graph = new CandidateGraph(graph, (sequence) => this.vectorOf(sequence));
    }
    return this.graph.advance(end, budgetMs);
  }

  /** As `CandidateGraph.nearest`; `undefined` also where a scale has changed, and the graph is to be made anew. */
  nearest(leaves: readonly StateLeaf[], count: number, end: number): Nearby | undefined {
    if (!this.graph) return undefined;
    const asked: ScaledLeaf[] = [];
    for (const leaf of leaves) {
      const field = this.fields.fieldOf(leaf);
      if (field === undefined) continue;
      if (this.fields.isNumber(field) && hasDrifted(this.scaleOf(field), this.fields.scaleOf(field))) {
        this.graph = undefined;
        return undefined;
      }
      asked.push(this.scaled(field, leaf.value, leaf.share));
    }
    const vector = stateVector(asked);
    return vector && this.graph.nearest(vector, count, end);
  }

  get bytes(): number {
    return this.graph?.bytes ?? 0;
  }

  private vectorOf(sequence: number): Float32Array | undefined {
    const leaves: ScaledLeaf[] = [];
    this.fields.eachLeaf(sequence, (field, value) => leaves.push(this.scaled(field, value, 1)));
    return stateVector(leaves);
  }

  private scaled(field: number, value: number, weight: number): ScaledLeaf {
    const isNumber = this.fields.isNumber(field);
    const scale = isNumber ? this.scaleOf(field) : { center: 0, spread: 0 };
    return { place: this.fields.hashOf(field), isNumber, value, weight, ...scale };
  }

  private scaleOf(field: number): FieldScale {
    const known = this.scales.get(field);
    if (known) return known;
    const scale = this.fields.scaleOf(field);
    this.scales.set(field, scale);
    return scale;
  }
}

function hasDrifted(before: FieldScale, now: FieldScale): boolean {
  const [least, most] = [Math.min(before.spread, now.spread), Math.max(before.spread, now.spread)];
  return most > DRIFT_MAX * least || Math.abs(now.center - before.center) > DRIFT_MAX * most;
}
