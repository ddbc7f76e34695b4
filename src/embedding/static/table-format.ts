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

export type SectionName = (typeof SECTIONS)[number];

export interface TableHeader {
  readonly size: number;
  readonly dimensions: number;
  readonly neighbourFloor: number;
  readonly sections: Readonly<Record<SectionName, { readonly offset: number; readonly length: number }>>;
}

export class TokenTableError extends Error {
  override readonly name = 'TokenTableError';
}

/**
 * Throws TokenTableError unless every section lies within the bytes and has the length that the header's counts ask
 * for.
 */
export function readHeader(bytes: Uint8Array): TableHeader {
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
      throw new TokenTableError(`token table whose section ${name} lies outside of it`);
    }
    if (length !== (lengths[name] ?? length))
      throw new TokenTableError(`token table whose section ${name} has ${length} bytes`);
    return [name, { offset, length }] as const;
  };
  const sections = Object.fromEntries(SECTIONS.map(section)) as TableHeader['sections'];
  return { size, dimensions, neighbourFloor, sections };
}
