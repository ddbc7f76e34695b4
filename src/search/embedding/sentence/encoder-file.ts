import { readFileSync } from 'node:fs';
import { zstdDecompressSync } from 'node:zlib';

/** Marks the vectors of the encoder in `assets/`. */
export const SENTENCE_MODEL = 'sentence-use-v1';

const FILE = new URL(`../../../../assets/${SENTENCE_MODEL}.bin.zst`, import.meta.url);
const MAGIC = 'MNEMEUSE';
const FORMAT_VERSION = 1;
const HEADER_AT = 16;
/** More than the size of the unpacked file. Unwritten pages take no memory. */
const UNPACKED_ROOM = 48 * 2 ** 20;

export class EncoderFileError extends Error {
  override readonly name = 'EncoderFileError';
}

/** A matrix of bytes in panels of eight columns: each weight is a byte times `scale`. */
export interface Matrix {
  readonly bytes: Int8Array;
  readonly rows: number;
  readonly columns: number;
  readonly scale: number;
}

interface Header {
  readonly pieces: number;
  readonly dimensions: number;
  readonly chunks: number;
  readonly matrices: Readonly<Record<string, readonly [rows: number, columns: number, scale: number]>>;
  readonly sections: Readonly<Record<string, readonly [offset: number, length: number]>>;
}

/** The weights of the sentence encoder, from the unpacked file, which `tools/sentence_encoder.py` describes. */
export class EncoderFile {
  readonly pieces: number;
  readonly dimensions: number;
  readonly chunks: number;
  private readonly header: Header;
  private readonly content: Uint8Array<ArrayBuffer>;

  /** Throws EncoderFileError for an incomplete file or another format. */
  constructor(packed: Uint8Array) {
    this.content = unpacked(packed);
    const view = new DataView(this.content.buffer);
    const headerEnd = HEADER_AT + view.getUint32(12, true);
    const magic = Buffer.from(this.content.subarray(0, MAGIC.length)).toString('latin1');
    if (magic !== MAGIC) throw new EncoderFileError('not a sentence encoder: the magic is missing');
    const version = view.getUint32(8, true);
    if (version !== FORMAT_VERSION) {
      throw new EncoderFileError(`sentence encoder of format ${version}, this server reads format ${FORMAT_VERSION}`);
    }
    this.header = JSON.parse(Buffer.from(this.content.subarray(HEADER_AT, headerEnd)).toString('utf8')) as Header;
    for (const [name, [offset, length]] of Object.entries(this.header.sections)) {
      if (offset + length > this.content.length) throw new EncoderFileError(`section ${name} is outside of the file`);
    }
    ({ pieces: this.pieces, dimensions: this.dimensions, chunks: this.chunks } = this.header);
  }

  /** Good until `close`. */
  view(section: string): Uint8Array<ArrayBuffer> {
    const [offset, length] = this.sectionOf(section);
    return this.content.subarray(offset, offset + length);
  }

  /** A copy, as all that follow except for matrices. */
  bytes(section: string): Uint8Array<ArrayBuffer> {
    return this.view(section).slice();
  }

  floats(section: string): Float32Array {
    return new Float32Array(this.bytes(section).buffer);
  }

  numbers(section: string): Uint32Array {
    return new Uint32Array(this.bytes(section).buffer);
  }

  /** Gives the memory of the file back at once: left to the garbage collector, 40 MB stay until the thread has much to do. */
  close(): void {
    this.content.buffer.transfer(0);
  }

  /** Bias, gain or offset of a layer. */
  vector(name: string): Float32Array {
    return this.floats(`${name}.vector`);
  }

  /** Good until `close`. */
  matrix(name: string): Matrix {
    const [rows, columns, scale] = this.header.matrices[name] ?? [0, 0, 0];
    const [offset, length] = this.sectionOf(name);
    if (length !== rows * columns) throw new EncoderFileError(`matrix ${name} has ${length} bytes`);
    return { bytes: new Int8Array(this.content.buffer, offset, length), rows, columns, scale };
  }

  private sectionOf(name: string): readonly [offset: number, length: number] {
    const section = this.header.sections[name];
    if (!section) throw new EncoderFileError(`sentence encoder without the section ${name}`);
    return section;
  }
}

/**
 * In its own buffer, so that offsets in it are aligned. Unpacked in one piece: many small pieces would be copied into
 * it, and their memory in the thread is not returned to the system.
 */
function unpacked(packed: Uint8Array): Uint8Array<ArrayBuffer> {
  let content: Buffer;
  try {
    content = zstdDecompressSync(packed, { chunkSize: UNPACKED_ROOM });
  } catch (cause) {
    throw new EncoderFileError('a sentence encoder that is cut short or damaged', { cause });
  }
  if (content.length < HEADER_AT) throw new EncoderFileError('a sentence encoder that is cut short');
  if (content.byteOffset === 0 && content.buffer instanceof ArrayBuffer) {
    return new Uint8Array(content.buffer, 0, content.length);
  }
  return new Uint8Array(content);
}

/** Some consecutive rows of a matrix. */
export function rowsOf({ bytes, rows, columns, scale }: Matrix, from: number, count: number): Matrix {
  const part = new Int8Array(count * columns);
  for (let panel = 0; panel < columns / PANEL; panel++) {
    const start = (panel * rows + from) * PANEL;
    part.set(bytes.subarray(start, start + count * PANEL), panel * count * PANEL);
  }
  return { bytes: part, rows: count, columns, scale };
}

/** Reads the encoder in `assets/`: some 150 ms. */
export function openEncoderFile(): EncoderFile {
  return new EncoderFile(readFileSync(FILE));
}

const CODE = new URL('../../../../gen/wasm/products.wasm', import.meta.url);
const PAGE_BYTES = 65_536;
const FLOAT_BYTES = 4;
/** The kernel's own, from the beginning of its memory. */
const KERNEL_BYTES = 8192;
/** Columns of a panel of weights. */
const PANEL = 8;
/** Rows that the kernel processes together: it reads and writes whole groups. */
export const ROWS_AT_ONCE = 4;

/** The part of WebAssembly that is used: among type libraries only those of browsers declare it. */
interface Wasm {
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
}

interface Kernel {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly multiply_rows: (...numbers: number[]) => void;
  readonly multiply_row: (...numbers: number[]) => void;
}

/** Numbers in the kernel's memory, `width` to a row. */
export interface Activations {
  /** Index of the first in `Layers.floats`. */
  readonly at: number;
  readonly width: number;
}

/** A layer's weights in the kernel's memory. */
export interface Layer {
  readonly at: number;
  readonly depth: number;
  readonly columns: number;
  readonly scale: number;
}

/** Memory of the kernel that multiplies activations with weights. All memory is allocated before the first product. */
export class Layers {
  floats: Float32Array;
  private readonly kernel: Kernel;
  private end = KERNEL_BYTES;

  constructor() {
    const { WebAssembly } = globalThis as unknown as { readonly WebAssembly: Wasm };
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(CODE)));
    this.kernel = exports as Kernel;
    this.floats = new Float32Array(this.kernel.memory.buffer);
  }

  take(rows: number, width: number): Activations {
    return { at: this.reserve(rows * width * FLOAT_BYTES) / FLOAT_BYTES, width };
  }

  put({ bytes, rows, columns, scale }: Matrix): Layer {
    const at = this.reserve(bytes.length);
    new Int8Array(this.kernel.memory.buffer, at, bytes.length).set(bytes);
    return { at, depth: rows, columns, scale };
  }

  /**
   * Rows of `from`, each `layer.depth` numbers long and beginning `stride` numbers behind the one before, times the weights,
   * without their scale. Works on whole groups of `ROWS_AT_ONCE` rows.
   */
  multiplyRows(layer: Layer, from: { at: number; stride: number }, rows: number, to: { at: number; stride: number }) {
    this.kernel.multiply_rows(
      from.at * FLOAT_BYTES,
      from.stride * FLOAT_BYTES,
      rows,
      layer.at,
      layer.depth,
      layer.columns / PANEL,
      to.at * FLOAT_BYTES,
      to.stride * FLOAT_BYTES,
    );
  }

  multiplyRow(layer: Layer, from: Activations, to: Activations): void {
    const { at, depth, columns } = layer;
    this.kernel.multiply_row(from.at * FLOAT_BYTES, at, depth, columns / PANEL, to.at * FLOAT_BYTES);
  }

  private reserve(bytes: number): number {
    const at = this.end;
    this.end += Math.ceil(bytes / 16) * 16;
    const { memory } = this.kernel;
    const missing = this.end - memory.buffer.byteLength;
    if (missing > 0) {
      memory.grow(Math.ceil(missing / PAGE_BYTES));
      this.floats = new Float32Array(memory.buffer);
    }
    return at;
  }
}
