import type { StateLeaf } from '../../memory/states/state.ts';
import { type ScaledLeaf, STATE_DIMENSIONS, stateVector } from '../../memory/states/state-vector.ts';
import { CandidateGraph, type Nearby, type VectorOf } from '../recall/candidate-graph.ts';
import type { BegunGraph, KeepableGraph, KeptGraph, KeptScales } from '../recall/kept-graphs.ts';

/** Median and spread of a field of numbers. */
export interface FieldScale {
  readonly center: number;
  readonly spread: number;
}

/** A field whose spread has changed by this factor, or its median by this many spreads, makes the vectors useless. */
const DRIFT_MAX = 2;

/** A graph to begin with; `isNew`: not from a file. `undefined` where a comparison with all takes as little time. */
export type BeginGraph = (dimension: number, isNew: boolean) => BegunGraph | undefined;

/** The fields and values that vectors are made of. */
export interface StateFields {
  /** Calls `each` for every value of a state. */
  eachLeaf(sequence: number, each: (field: number, value: number) => void): void;
  /** `undefined` for a field that no state has. */
  fieldOf(leaf: StateLeaf): number | undefined;
  /** The same in every run. */
  nameOf(field: number): string;
  /** Hash of the name. */
  hashOf(field: number): number;
  isNumber(field: number): boolean;
  /** Now. */
  scaleOf(field: number): FieldScale;
}

/** With the scales of fields that its vectors are made with. */
class ScaledGraph extends CandidateGraph {
  private readonly scales: () => KeptScales;

  constructor(begun: BegunGraph, { vectorOf, scales }: { vectorOf: VectorOf; scales: () => KeptScales }) {
    super(begun, vectorOf);
    this.scales = scales;
  }

  override toKeep(): KeptGraph {
    return { ...super.toKeep(), scales: this.scales() };
  }
}

/** Graphs of the vectors of a namespace's states; a new one where the scale of a field has changed much. */
export class StateGraph {
  private readonly fields: StateFields;
  private graph: ScaledGraph | undefined;
  /** Of the fields at the time when the graph was begun. */
  private readonly scales = new Map<number, FieldScale>();
  /** The same of a graph of an earlier run. */
  private keptScales: KeptScales = {};
  /** A graph that became useless is not taken from its file again. */
  private hasBegun = false;

  constructor(fields: StateFields) {
    this.fields = fields;
  }

  change(sequence: number): void {
    this.graph?.change(sequence);
  }

  /** Puts states below `end` in for about `budgetMs`; false when there is no need or all are in. */
  grow(begin: BeginGraph, end: number, budgetMs: number): boolean {
    if (!this.graph) {
      const begun = begin(STATE_DIMENSIONS, this.hasBegun);
      if (!begun) return false;
      this.hasBegun = true;
      this.scales.clear();
      this.keptScales = begun.kept?.scales ?? {};
      this.graph = new ScaledGraph(begun, {
        vectorOf: (sequence) => this.vectorOf(sequence),
        scales: () => this.namedScales(),
      });
    }
    return this.graph.advance(end, budgetMs);
  }

  /** The graph itself, to be persisted. */
  get candidates(): KeepableGraph | undefined {
    return this.graph;
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

  private namedScales(): KeptScales {
    const scales = new Map(Object.entries(this.keptScales));
    for (const [field, { center, spread }] of this.scales) scales.set(this.fields.nameOf(field), [center, spread]);
    return Object.fromEntries(scales);
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
    const kept = this.keptScales[this.fields.nameOf(field)];
    const scale = kept ? { center: kept[0], spread: kept[1] } : this.fields.scaleOf(field);
    this.scales.set(field, scale);
    return scale;
  }
}

function hasDrifted(before: FieldScale, now: FieldScale): boolean {
  const [least, most] = [Math.min(before.spread, now.spread), Math.max(before.spread, now.spread)];
  return most > DRIFT_MAX * least || Math.abs(now.center - before.center) > DRIFT_MAX * most;
}
