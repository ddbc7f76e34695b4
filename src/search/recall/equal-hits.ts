import { isDeepStrictEqual } from 'node:util';
import { isMessageId } from '../../memory/conversation.ts';
import { areOtherSpeakers, equalityKey } from '../../memory/equal-texts.ts';
import type { NamespaceSource } from './namespace-source.ts';
import type { NamespaceState } from './namespace-state.ts';

interface Kept {
  readonly sequence: number;
  readonly speaker: string;
  /** Further memories that are equal. */
  count: number;
}

/** Memories after the hits whose texts are read to count them: it bounds the time of a search. */
const READ_FURTHER_MAX = 1000;

/**
 * The hits of a search, of memories that are equal only the first. Equal memories have equal texts (`equalityKey`), no two
 * speakers, the same scope but for the session, and the same place, step and content. Of a message, step and content are
 * those of its turn, and do not count.
 */
export class EqualHits {
  private readonly state: NamespaceState;
  private readonly source: NamespaceSource;
  private readonly byKey = new Map<string, Kept[]>();
  private readonly bySequence = new Map<number, Kept>();
  private readonly byTokenCount = new Map<number, number[]>();
  private readFurther = 0;
  private lastKey = { sequence: -1, key: '' };

  constructor(state: NamespaceState, source: NamespaceSource) {
    this.state = state;
    this.source = source;
  }

  /** Counts a memory as equal to a hit; false where it is equal to none, and may become a hit: see `keep`. */
  counts(sequence: number): boolean {
    const equal = this.byKey.get(this.keyOf(sequence))?.find((one) => this.areEqual(one, sequence));
    if (equal) equal.count++;
    return equal !== undefined;
  }

  keep(sequence: number): void {
    const kept = { sequence, speaker: this.speakerOf(sequence), count: 0 };
    this.bySequence.set(sequence, kept);
    const key = this.keyOf(sequence);
    if (key !== '') this.byKey.set(key, [...(this.byKey.get(key) ?? []), kept]);
    const { length } = this.tokensOf(sequence);
    if (length > 0) this.byTokenCount.set(length, [...(this.byTokenCount.get(length) ?? []), sequence]);
  }

  /** Whether it may be equal to a hit, by its tokens: so that no text is read of a memory that cannot become a hit. */
  isAlikeAny(sequence: number): boolean {
    const tokens = this.tokensOf(sequence);
    const alike = this.byTokenCount.get(tokens.length) ?? [];
    const isAlike = alike.some((hit) => this.tokensOf(hit).every((token, at) => token === tokens[at]));
    return isAlike && this.readFurther++ < READ_FURTHER_MAX;
  }

  /** Further memories that are equal to a hit. */
  countOf(sequence: number): number {
    return this.bySequence.get(sequence)?.count ?? 0;
  }

  private keyOf(sequence: number): string {
    if (this.lastKey.sequence !== sequence) {
      const text = this.source.text(this.state.entry.firstKey + sequence)?.whole ?? '';
      this.lastKey = { sequence, key: equalityKey(text) };
    }
    return this.lastKey.key;
  }

  private speakerOf(sequence: number): string {
    const { columns } = this.state;
    return columns.speakers.nameOf(columns.speakerOf(sequence));
  }

  private areEqual(kept: Kept, sequence: number): boolean {
    if (areOtherSpeakers(kept.speaker, this.speakerOf(sequence))) return false;
    const [one, other] = [kept.sequence, sequence].map((each) => this.sidesOf(each));
    return one !== undefined && isDeepStrictEqual(one, other);
  }

  /** What equal memories have in common beside their text. */
  private sidesOf(sequence: number) {
    const { entry } = this.state;
    const memory = this.source.read(entry, entry.firstKey + sequence);
    if (!memory) return undefined;
    const { id, scope, content, place, step } = memory;
    const own = isMessageId(id) ? [] : [step, content?.mediaType, content && Buffer.from(content.data)];
    return [scope.project, scope.agentType, scope.agent, place, own.every((side) => side === undefined) ? [] : own];
  }

  private tokensOf(sequence: number): Uint16Array | Uint32Array {
    return this.state.texts?.ranked.tokens.tokensOf(sequence) ?? NO_TOKENS;
  }
}

const NO_TOKENS = new Uint16Array(0);
