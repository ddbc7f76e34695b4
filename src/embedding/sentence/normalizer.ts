/** What SentencePiece writes for a space: U+2581. */
const SPACE_MARK = [0xe2, 0x96, 0x81] as const;
const SPACE = 0x20;
const NOTHING = new Uint8Array();

/**
 * Normalizes a text as SentencePiece's `nmt_nfkc` does, from the rules in the model's own file: a double-array trie
 * (darts-clone) of what is replaced, and the replacements. White space becomes one mark, also before the text.
 */
export class Normalizer {
  private readonly units: Uint32Array;
  private readonly replacements: Uint8Array;
  private readonly encoder = new TextEncoder();
  private out = new Uint8Array(256);
  private length = 0;
  /** What `readPrefix` has found: bytes consumed, and what stands for them. */
  private consumed = 0;
  private found: Uint8Array = NOTHING;

  constructor(charsmap: Uint8Array) {
    const trieBytes = new DataView(charsmap.buffer, charsmap.byteOffset).getUint32(0, true);
    this.units = new Uint32Array(charsmap.slice(4, 4 + trieBytes).buffer);
    this.replacements = charsmap.subarray(4 + trieBytes);
  }

  /** UTF-8, good until the next call; empty where nothing is left. */
  normalize(text: string): Uint8Array {
    const bytes = this.encoder.encode(text);
    this.length = 0;
    let at = 0;
    while (at < bytes.length) {
      this.readPrefix(bytes, at);
      if (this.found.length !== 1 || this.found[0] !== SPACE) break;
      at += this.consumed;
    }
    if (at >= bytes.length) return NOTHING;
    this.mark();
    let isAfterSpace = true;
    while (at < bytes.length) {
      this.readPrefix(bytes, at);
      at += this.consumed;
      let from = 0;
      if (isAfterSpace) while (this.found[from] === SPACE) from++;
      if (from === this.found.length) continue;
      for (let i = from; i < this.found.length; i++) {
        const byte = this.found[i] as number;
        if (byte === SPACE) this.mark();
        else this.append(byte);
      }
      isAfterSpace = this.found[this.found.length - 1] === SPACE;
    }
    while (this.endsInMark()) this.length -= SPACE_MARK.length;
    return this.out.subarray(0, this.length);
  }

  /** The longest rule that fits, or one character as it is. */
  private readPrefix(bytes: Uint8Array, from: number): void {
    const { units } = this;
    let node = offsetOf(units[0] as number);
    let [length, value] = [0, 0];
    for (let at = from; at < bytes.length; at++) {
      node ^= bytes[at] as number;
      const unit = units[node] as number;
      if ((unit & 0x800000ff) >>> 0 !== bytes[at]) break;
      node ^= offsetOf(unit);
      if ((unit & 0x100) !== 0) {
        length = at + 1 - from;
        value = (units[node] as number) & 0x7fffffff;
      }
    }
    if (length === 0 || value >= this.replacements.length) {
      this.consumed = characterLength(bytes, from);
      this.found = bytes.subarray(from, from + this.consumed);
      return;
    }
    this.consumed = length;
    this.found = this.replacements.subarray(value, this.replacements.indexOf(0, value));
  }

  private mark(): void {
    for (const byte of SPACE_MARK) this.append(byte);
  }

  private endsInMark(): boolean {
    const from = this.length - SPACE_MARK.length;
    return from >= 0 && SPACE_MARK.every((byte, at) => this.out[from + at] === byte);
  }

  private append(byte: number): void {
    if (this.length === this.out.length) {
      const out = new Uint8Array(2 * this.out.length);
      out.set(this.out);
      this.out = out;
    }
    this.out[this.length++] = byte;
  }
}

function offsetOf(unit: number): number {
  return (unit >>> 10) << ((unit & 0x200) >>> 6);
}

/** Of the character that begins there, in well-formed UTF-8. */
export function characterLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return 1;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}
