import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** Tokens are less than this: those beyond the vocabulary are of words that it does not have. */
export const TOKENS_END = 0x10000;
/** Weight of their words: that of rare ones. */
const OTHER_WEIGHT = 1;

/** Marks the vectors of the table in `assets/`. */
export const STATIC_MODEL = 'static-minilm-v1';

const STATIC_MINILM_V1 = new URL(`../../../../assets/${STATIC_MODEL}.bin`, import.meta.url);

/**
 * Best first, without the token itself. A code means `cosineOfCode[code]`. The arrays are views: do not write to
 * them.
 */
export interface Neighbours {
  readonly tokens: Uint16Array;
  readonly codes: Uint8Array;
}

/**
 * Vectors, weights and neighbours of every vocabulary token, as views over the file's bytes: opening costs no copy,
 * and a SharedArrayBuffer serves any number of threads. The bytes must not change afterwards.
 */
export class TokenTable {
  readonly size: number;
  readonly dimensions: number;
  /** Token j's vector is `vectors[j * dimensions ...] * scales[j]`. It is not of unit length. */
  readonly vectors: Int8Array;
  readonly scales: Float32Array;
  /** Weight of every token, below `TOKENS_END`, in a pooled vector: near 1 for a rare one, near 0 for "the". */
  readonly poolingWeights: Float32Array;
  /** Minimum cosine of two tokens that are stored as neighbours. */
  readonly neighbourFloor: number;
  readonly cosineOfCode: Float32Array;
  readonly #bytes: Uint8Array;
  readonly #sections: ReturnType<typeof readHeader>['sections'];
  readonly #starts: Uint32Array;
  readonly #neighbourTokens: Uint16Array;
  readonly #neighbourCodes: Uint8Array;

  /** Throws TokenTableError unless the bytes are a complete table of the format that this server reads. */
  constructor(bytes: Uint8Array) {
    const header = readHeader(bytes);
    // Typed views need aligned offsets; a slice of a pooled Buffer may have none, and then is copied once.
    this.#bytes = bytes.byteOffset % 8 === 0 ? bytes : new Uint8Array(bytes);
    this.#sections = header.sections;
    this.size = header.size;
    this.dimensions = header.dimensions;
    this.neighbourFloor = header.neighbourFloor;
    this.cosineOfCode = Float32Array.from(
      { length: 256 },
      (_, code) => header.neighbourFloor + ((1 - header.neighbourFloor) * code) / 255,
    );
    this.vectors = this.#view(Int8Array, 'vectors');
    this.scales = this.#view(Float32Array, 'scales');
    this.poolingWeights = new Float32Array(TOKENS_END).fill(OTHER_WEIGHT);
    this.poolingWeights.set(this.#view(Float32Array, 'poolingWeights'));
    this.#starts = this.#view(Uint32Array, 'neighbourStarts');
    this.#neighbourTokens = this.#view(Uint16Array, 'neighbourTokens');
    this.#neighbourCodes = this.#view(Uint8Array, 'neighbourCosines');
    this.#checkNeighbours();
  }

  vector(token: number): Int8Array {
    return this.vectors.subarray(token * this.dimensions, (token + 1) * this.dimensions);
  }

  /** None for a token that is no token of this table. */
  neighbours(token: number): Neighbours {
    const [from, to] = [this.#starts[token] ?? 0, this.#starts[token + 1] ?? 0];
    return { tokens: this.#neighbourTokens.subarray(from, to), codes: this.#neighbourCodes.subarray(from, to) };
  }

  /** The vocabulary and the character table, decoded at each call: use them once, to create a tokenizer. */
  readVocabulary(): string[] {
    return this.#text('vocabulary').split('\n');
  }

  readCharacterClasses(): Uint32Array {
    return this.#view(Uint32Array, 'characterClasses');
  }

  readCharacterFolds(): string[] {
    return this.#text('characterFolds').split('\n');
  }

  // A wrong start or token would read past an array without a sound, so it is looked for once.
  #checkNeighbours(): void {
    let last = 0;
    for (const start of this.#starts) {
      if (start < last) throw new TokenTableError('token table whose neighbour lists run backwards');
      last = start;
    }
    if (this.#starts[0] !== 0 || last !== this.#neighbourTokens.length) {
      throw new TokenTableError('token table whose neighbour lists do not fill their section');
    }
    for (const token of this.#neighbourTokens) {
      if (token >= this.size) throw new TokenTableError(`token table with the neighbour ${token} out of ${this.size}`);
    }
  }

  #view<T>(kind: ViewKind<T>, name: SectionName): T {
    const { offset, length } = this.#sections[name];
    return new kind(this.#bytes.buffer, this.#bytes.byteOffset + offset, length / kind.BYTES_PER_ELEMENT);
  }

  #text(name: SectionName): string {
    const { offset, length } = this.#sections[name];
    return Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset + offset, length).toString('utf8');
  }
}

interface ViewKind<T> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBufferLike, offset: number, length: number): T;
}

export async function readTokenTable(path: string | URL = STATIC_MINILM_V1): Promise<TokenTable> {
  return new TokenTable(await readFile(path));
}

/** The shipped table, read at once. */
export function openTokenTable(): TokenTable {
  return new TokenTable(readFileSync(STATIC_MINILM_V1));
}

/**
 * The file format of the token table, version 1. The whole of it is described in tools/static_table.py, which
 * writes it.
 */

const MAGIC = 'MNEMESTV';
export const FORMAT_VERSION = 1;
const SECTIONS_AT = 32;
const ALIGNMENT = 64;

const SECTIONS = [
  'vocabulary',
  'characterClasses',
  'characterFolds',
  'scales',
  'poolingWeights',
  'vectors',
  'neighbourStarts',
  'neighbourTokens',
  'neighbourCosines',
] as const;

type SectionName = (typeof SECTIONS)[number];

export interface TableHeader {
  readonly size: number;
  readonly dimensions: number;
  readonly neighbourFloor: number;
  readonly sections: Readonly<Record<SectionName, { readonly offset: number; readonly length: number }>>;
}

class TokenTableError extends Error {
  override readonly name = 'TokenTableError';
}

/**
 * Throws TokenTableError unless every section is within the bytes and has the length that the header's counts require.
 */
function readHeader(bytes: Uint8Array): TableHeader {
  const headerLength = SECTIONS_AT + 8 * SECTIONS.length;
  if (bytes.byteLength < headerLength)
    throw new TokenTableError(`a token table of ${bytes.byteLength} bytes is cut short`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const word = (at: number): number => view.getUint32(at, true);
  const magic = Array.from({ length: MAGIC.length }, (_, at) => String.fromCharCode(view.getUint8(at))).join('');
  if (magic !== MAGIC) throw new TokenTableError('not a token table: the magic is missing');
  if (word(8) !== FORMAT_VERSION) {
    throw new TokenTableError(`token table of format ${word(8)}, this server reads format ${FORMAT_VERSION}`);
  }
  if (word(28) !== bytes.byteLength) {
    throw new TokenTableError(`token table of ${bytes.byteLength} bytes, its header says ${word(28)}`);
  }
  const [size, dimensions, neighbours] = [word(12), word(16), word(20)];
  const neighbourFloor = view.getFloat32(24, true);
  if (size < 1 || size > 0x10000 || dimensions < 1 || !(neighbourFloor >= 0 && neighbourFloor < 1)) {
    throw new TokenTableError('token table whose header makes no sense');
  }
  const lengths: Partial<Record<SectionName, number>> = {
    scales: 4 * size,
    poolingWeights: 4 * size,
    vectors: size * dimensions,
    neighbourStarts: 4 * (size + 1),
    neighbourTokens: 2 * neighbours,
    neighbourCosines: neighbours,
  };
  const section = (name: SectionName, index: number) => {
    const [offset, length] = [word(SECTIONS_AT + 8 * index), word(SECTIONS_AT + 8 * index + 4)];
    if (offset < headerLength || offset % ALIGNMENT !== 0 || offset + length > bytes.byteLength) {
      throw new TokenTableError(`token table whose section ${name} is outside of it`);
    }
    if (length !== (lengths[name] ?? length))
      throw new TokenTableError(`token table whose section ${name} has ${length} bytes`);
    return [name, { offset, length }] as const;
  };
  const sections = Object.fromEntries(SECTIONS.map(section)) as TableHeader['sections'];
  return { size, dimensions, neighbourFloor, sections };
}
