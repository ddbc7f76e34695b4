import { type ComparedState, hashOf, type StateLeaf } from '../../memory/states/state.ts';
import { numberSimilarity, spreadOf } from '../../memory/states/state-similarity.ts';
import { BestKept } from '../ranking/lane-scores.ts';
import type { Sought } from '../ranking/question.ts';
import { grown } from '../recall/grown.ts';
import { type BeginGraph, type FieldScale, StateGraph } from './state-graph.ts';

const STATES_AT_FIRST = 1024;
const PLACE_OVERHEAD_BYTES = 120;
/** Fields of a namespace that are compared; states with more different ones are compared by the first. */
const PLACES_MAX = 65_535;
/** States that the spread of a field is taken from; all, where there are no more. */
const SAMPLE_MAX = 2048;
const LEVELS = 33;
const NONE = -1;
/** Similarity of a state that is compared no further. */
const BEHIND = -1;
/** Rounding of a bound. */
const SLACK = 1e-9;
/** Candidates asked of the graph for each one that is wanted: its order is rough. */
const GRAPH_SPARE = 4;
/** Fewer values than this share of a mean state are compared with those of all states. */
const ASKED_SHARE_MIN = 0.5;

/** A state that stored ones are compared with, by place: `heads[place]` is the first of its leaves there. */
interface Asked {
  readonly heads: Int32Array;
  readonly leaves: readonly AskedLeaf[];
  /** Sum of the shares. */
  readonly total: number;
}

/** Cosines of texts by sequence, of the sequences of `found` in ascending order, and the share that each counts. */
export interface AddedTexts {
  readonly values: Float64Array;
  readonly found: Uint32Array;
  readonly share: number;
}

interface AskedLeaf {
  readonly isNumber: boolean;
  readonly value: number;
  readonly share: number;
  /** Of numbers. */
  readonly spread: number;
  /** The next one at the same place, or -1. */
  readonly next: number;
}

/**
 * Numbers and labels of the states of a namespace, in memory, by sequence: some 10 bytes each. A comparison depends on
 * the states that are there and not on the order of their arrival.
 */
export class KeptStates {
  private readonly places = new Map<string, number>();
  /** By place: its name, the hash of it, and whether it has numbers. */
  private readonly placeNames: string[] = [];
  private readonly placeHashes: number[] = [];
  private readonly arePlacesOfNumbers: boolean[] = [];
  /** By leaf: number of its place, and its value. */
  private leafPlaces = new Uint16Array(STATES_AT_FIRST * 8);
  private leafValues = new Float64Array(STATES_AT_FIRST * 8);
  private leafEnd = 0;
  /** Leaves of removed states. */
  private wasted = 0;
  /** By sequence. */
  private starts = new Uint32Array(STATES_AT_FIRST);
  private lengths = new Uint16Array(STATES_AT_FIRST);
  /** Leading zeros of a hash of each state; the sample of states consists of the highest levels. */
  private levels = new Uint8Array(STATES_AT_FIRST);
  private readonly levelCounts = new Uint32Array(LEVELS);
  private readonly scales = new Map<number, FieldScale>();
  /** All sequences in use are less than this. */
  private end = 0;
  /** Number of states. */
  size = 0;
  /** Narrows searches where there are many states. */
  readonly graph = new StateGraph({
    eachLeaf: (sequence, each) => this.eachLeaf(sequence, each),
    fieldOf: ({ kind, place }) => this.places.get(nameOf(kind, place)),
    nameOf: (place) => this.placeNames[place] ?? '',
    hashOf: (place) => this.placeHashes[place] ?? 0,
    isNumber: (place) => this.arePlacesOfNumbers[place] === true,
    scaleOf: (place) => this.scale(place),
  });

  /** Replaces a state. `mark` tells states of equal content apart, such as the time of the event. */
  put(sequence: number, leaves: readonly StateLeaf[], mark: number): void {
    this.remove(sequence);
    if (leaves.length === 0) return;
    this.ensureCapacity(sequence, leaves.length);
    this.starts[sequence] = this.leafEnd;
    let hash = mixed(0, mark);
    for (const { place, kind, value } of leaves) {
      const number = this.placeOf(kind, place);
      hash = mixed(hash, value);
      if (number === NONE || this.hasLeaf(sequence, number, value)) continue;
      this.leafPlaces[this.leafEnd] = number;
      this.leafValues[this.leafEnd++] = value;
      this.lengths[sequence] = (this.lengths[sequence] ?? 0) + 1;
    }
    if (!this.has(sequence)) return;
    const level = Math.clz32(spread32(hash));
    this.levels[sequence] = level;
    this.levelCounts[level] = (this.levelCounts[level] ?? 0) + 1;
    this.end = Math.max(this.end, sequence + 1);
    this.size++;
    this.scales.clear();
    this.graph.change(sequence);
  }

  remove(sequence: number): void {
    if (!this.has(sequence)) return;
    const level = this.levels[sequence] ?? 0;
    this.levelCounts[level] = (this.levelCounts[level] ?? 0) - 1;
    this.wasted += this.lengths[sequence] ?? 0;
    this.lengths[sequence] = 0;
    this.size--;
    this.scales.clear();
    this.graph.change(sequence);
  }

  has(sequence: number): boolean {
    return (this.lengths[sequence] ?? 0) > 0;
  }

  /**
   * The states most similar by numbers and labels, most similar first, ties by sequence. `texts` has similarities of texts
   * that are added, and whose memories are found without a state too; `among` is then in ascending order.
   */
  nearest(state: ComparedState, count: number, { isAllowed, among }: Sought = {}, texts?: AddedTexts): number[] {
    const asked = this.asked(state.leaves);
    const best = new BestKept(count);
    const end = among?.length ?? Math.max(this.end, (texts?.found.at(-1) ?? 0) + 1);
    let text = 0;
    for (let at = 0; at < end; at++) {
      const sequence = among?.[at] ?? at;
      let score = 0;
      if (texts) {
        const { found, values, share } = texts;
        while ((found[text] as number) < sequence) text++;
        if (found[text] === sequence) score = share * Math.max(0, values[sequence] ?? 0);
      }
      const isState = this.has(sequence);
      if (isState) score += this.similarity(sequence, asked, best.floor - score);
      // Nearly all fall behind here.
      if ((!isState && score <= 0) || !(score >= best.floor)) continue;
      if (isAllowed?.(sequence) !== false) best.offer(sequence, score);
    }
    return best.take();
  }

  /**
   * As `nearest`, among candidates that a graph finds; `undefined` where it is incomplete, or finds too few that are
   * allowed.
   */
  nearestByGraph(state: ComparedState, count: number, isAllowed: (sequence: number) => boolean): number[] | undefined {
    // The rest of the states would decide whose vectors are near to that of a few values.
    const meanCount = (this.leafEnd - this.wasted) / Math.max(1, this.size);
    if (state.leaves.length < ASKED_SHARE_MIN * meanCount) return undefined;
    const nearby = this.graph.nearest(state.leaves, GRAPH_SPARE * count, this.end);
    const allowed = nearby?.found.filter(isAllowed) ?? [];
    if (!nearby || allowed.length < count) return undefined;
    return this.nearest(state, count, { isAllowed, among: [...new Set([...allowed, ...nearby.waiting])] });
  }

  /** Puts vectors of states into a graph for about `budgetMs`; false when there is no need or all are there. */
  growGraph(begin: BeginGraph, budgetMs: number): boolean {
    return this.graph.grow(begin, this.end, budgetMs);
  }

  private eachLeaf(sequence: number, each: (place: number, value: number) => void): void {
    const start = this.starts[sequence] ?? 0;
    const end = start + (this.lengths[sequence] ?? 0);
    for (let at = start; at < end; at++) each(this.leafPlaces[at] as number, this.leafValues[at] as number);
  }

  /** Similarities by numbers and labels of some memories; 0 for one without a state. */
  similarities({ leaves }: ComparedState, sequences: readonly number[]): number[] {
    const asked = this.asked(leaves);
    return sequences.map((sequence) => this.similarity(sequence, asked));
  }

  get bytes(): number {
    const leaves = this.leafPlaces.byteLength + this.leafValues.byteLength;
    const states = this.starts.byteLength + this.lengths.byteLength + this.levels.byteLength;
    return leaves + states + this.places.size * PLACE_OVERHEAD_BYTES + this.graph.bytes;
  }

  /**
   * Sum of the shares of the asked leaves, each times the similarity of the state's value at its place; -1 where it is
   * certain to be less than `least`.
   */
  private similarity(sequence: number, { heads, leaves, total }: Asked, least = Number.NEGATIVE_INFINITY): number {
    const { leafPlaces, leafValues } = this;
    const start = this.starts[sequence] ?? 0;
    const end = start + (this.lengths[sequence] ?? 0);
    const lossMax = total - least + SLACK;
    let sum = 0;
    let loss = 0;
    for (let at = start; at < end; at++) {
      for (let next = heads[leafPlaces[at] as number] as number; next !== NONE; ) {
        const leaf = leaves[next] as AskedLeaf;
        const value = leafValues[at] as number;
        if (value === leaf.value) sum += leaf.share;
        else if (leaf.isNumber) {
          // A place has one number, but any number of labels.
          const gain = leaf.share * numberSimilarity(value, leaf.value, leaf.spread);
          sum += gain;
          loss += leaf.share - gain;
          if (loss > lossMax) return BEHIND;
        }
        next = leaf.next;
      }
    }
    return sum;
  }

  private asked(leaves: readonly StateLeaf[]): Asked {
    const heads = new Int32Array(this.places.size).fill(NONE);
    const found: AskedLeaf[] = [];
    for (const { place, kind, value, share } of leaves) {
      const number = this.places.get(nameOf(kind, place));
      if (number === undefined) continue;
      const isNumber = kind === 'number';
      const spread = isNumber ? this.scale(number).spread : 0;
      found.push({ isNumber, value, share, spread, next: heads[number] ?? NONE });
      heads[number] = found.length - 1;
    }
    return { heads, leaves: found, total: found.reduce((sum, { share }) => sum + share, 0) };
  }

  /** Of a sample that depends on the states alone: all, or the highest levels that have few enough. */
  private scale(place: number): FieldScale {
    const known = this.scales.get(place);
    if (known !== undefined) return known;
    const least = this.sampleLevel();
    const values: number[] = [];
    const { levels, lengths, starts, leafPlaces, leafValues } = this;
    for (let sequence = 0; sequence < this.end; sequence++) {
      if ((levels[sequence] as number) < least) continue;
      const start = starts[sequence] as number;
      const end = start + (lengths[sequence] as number);
      for (let at = start; at < end; at++) {
        if (leafPlaces[at] === place) values.push(leafValues[at] as number);
      }
    }
    const sorted = Float64Array.from(values).sort();
    const scale = { center: sorted[sorted.length >> 1] ?? 0, spread: spreadOf(sorted) };
    this.scales.set(place, scale);
    return scale;
  }

  private sampleLevel(): number {
    let level = LEVELS;
    for (let count = 0; level > 0; level--) {
      count += this.levelCounts[level - 1] ?? 0;
      if (count > SAMPLE_MAX) break;
    }
    return level;
  }

  /** -1 for a place beyond the limit. */
  private placeOf(kind: StateLeaf['kind'], place: string): number {
    const name = nameOf(kind, place);
    const known = this.places.get(name);
    if (known !== undefined) return known;
    const number = this.places.size;
    if (number === PLACES_MAX) return NONE;
    this.places.set(name, number);
    this.placeNames.push(name);
    this.placeHashes.push(hashOf(name) | 0);
    this.arePlacesOfNumbers.push(kind === 'number');
    return number;
  }

  /** An element that is twice in an array counts once. */
  private hasLeaf(sequence: number, place: number, value: number): boolean {
    for (let at = this.starts[sequence] ?? 0; at < this.leafEnd; at++) {
      if (this.leafPlaces[at] === place && this.leafValues[at] === value) return true;
    }
    return false;
  }

  private ensureCapacity(sequence: number, leafCount: number): void {
    if (sequence >= this.starts.length) {
      const capacity = Math.ceil((sequence + 1) * 1.5);
      this.starts = grown(this.starts, new Uint32Array(capacity));
      this.lengths = grown(this.lengths, new Uint16Array(capacity));
      this.levels = grown(this.levels, new Uint8Array(capacity));
    }
    if (this.leafEnd + leafCount <= this.leafPlaces.length) return;
    const wanted = this.leafEnd - this.wasted + leafCount;
    this.repack(Math.max(this.leafPlaces.length, Math.ceil(wanted * 1.5)));
  }

  private repack(capacity: number): void {
    const [places, values] = [new Uint16Array(capacity), new Float64Array(capacity)];
    let to = 0;
    for (let sequence = 0; sequence < this.end; sequence++) {
      const start = this.starts[sequence] ?? 0;
      const end = start + (this.lengths[sequence] ?? 0);
      places.set(this.leafPlaces.subarray(start, end), to);
      values.set(this.leafValues.subarray(start, end), to);
      this.starts[sequence] = to;
      to += end - start;
    }
    [this.leafPlaces, this.leafValues, this.leafEnd, this.wasted] = [places, values, to, 0];
  }
}

/** A number and a label of one place are never compared. */
function nameOf(kind: StateLeaf['kind'], place: string): string {
  return kind === 'number' ? `#${place}` : `"${place}`;
}

const number = new Float64Array(1);
const words = new Int32Array(number.buffer);

/** FNV-1a by words of 32 bits. */
function mixed(hash: number, value: number): number {
  number[0] = value;
  return Math.imul(Math.imul(hash ^ (words[0] ?? 0), 0x01000193) ^ (words[1] ?? 0), 0x01000193);
}

/** Last step of MurmurHash3: every bit of the hash changes every other one. */
function spread32(hash: number): number {
  let bits = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}
