import { Transform, type TransformCallback } from 'node:stream';
import { isRecord } from '../../../clients/typescript/src/tool-arguments.ts';
import { exactArguments } from './exact-integers.ts';

/** A message that cannot be served: what is answered in its place. */
export interface RefusedMessage {
  /** Id of the request; null where it has none that can be read. */
  readonly id: string | number | null;
  /** Code of JSON-RPC: -32700 for text that is not JSON, -32600 for JSON that is no request. */
  readonly code: number;
  readonly message: string;
}

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const NEWLINE = 0x0a;

/**
 * Passes on the lines that are messages of JSON-RPC and calls `refuse` for all others, so that each is answered and the
 * connection goes on: no JSON, no message, longer than `bytesMax`. Holds at most one line.
 */
export class MessageLines extends Transform {
  private readonly bytesMax: number;
  private readonly refuse: (refused: RefusedMessage) => void;
  private pieces: Buffer[] = [];
  private bytes = 0;
  /** The id of a line that is too long, while the rest of the line passes by. */
  private tooLong: TopLevelId | undefined;

  constructor(bytesMax: number, refuse: (refused: RefusedMessage) => void) {
    super();
    this.bytesMax = bytesMax;
    this.refuse = refuse;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let from = 0;
    for (let to = chunk.indexOf(NEWLINE); to !== -1; to = chunk.indexOf(NEWLINE, from)) {
      this.add(chunk.subarray(from, to));
      this.endLine();
      from = to + 1;
    }
    this.add(chunk.subarray(from));
    done();
  }

  private add(piece: Buffer): void {
    this.bytes += piece.length;
    if (this.tooLong === undefined && this.bytes <= this.bytesMax) {
      this.pieces.push(piece);
      return;
    }
    this.tooLong ??= new TopLevelId(this.pieces.splice(0));
    this.tooLong.read(piece);
  }

  private endLine(): void {
    const line = Buffer.concat(this.pieces);
    const { tooLong, bytes } = this;
    this.pieces = [];
    this.bytes = 0;
    this.tooLong = undefined;
    if (tooLong !== undefined) {
      const message = `the message must be at most ${this.bytesMax} bytes, got ${bytes}`;
      this.refuse({ id: tooLong.value, code: INVALID_REQUEST, message });
    } else if (line.some((byte) => byte > 0x20)) this.passOn(line);
  }

  private passOn(line: Buffer): void {
    const message = messageOf(line);
    if ('refused' in message) this.refuse(message.refused);
    else this.push(message.line);
  }
}

function messageOf(line: Buffer): { readonly line: Buffer } | { readonly refused: RefusedMessage } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line.toString());
  } catch (error) {
    return {
      refused: { id: null, code: PARSE_ERROR, message: `the message is not JSON: ${(error as Error).message}` },
    };
  }
  const id = isRecord(parsed) && isId(parsed['id']) ? parsed['id'] : null;
  const isMessage = isRecord(parsed) && parsed['jsonrpc'] === '2.0' && (parsed['id'] === undefined || id !== null);
  if (!isMessage) {
    const message =
      'the message is not of JSON-RPC: expected an object with "jsonrpc": "2.0", and an id that is a text or a number';
    return { refused: { id, code: INVALID_REQUEST, message } };
  }
  const read = withArguments(parsed, line.toString());
  return {
    line: read === parsed ? Buffer.concat([line, Buffer.of(NEWLINE)]) : Buffer.from(`${JSON.stringify(read)}\n`),
  };
}

function isId(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

/**
 * The message of a text; the arguments of a call of a tool that are null are absent, those that are a JSON text are an
 * object, and integers that a double would round are marked.
 */
export function withArguments(message: unknown, text: string): unknown {
  if (!isRecord(message) || message['method'] !== 'tools/call' || !isRecord(message['params'])) return message;
  const { arguments: provided, ...params } = message['params'];
  const exact = exactArguments(text);
  if (isRecord(exact)) return { ...message, params: { ...params, arguments: exact } };
  if (provided === null) return { ...message, params };
  if (typeof provided !== 'string') return message;
  return { ...message, params: { ...params, arguments: objectOf(provided) } };
}

function objectOf(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x7b, 0x5b]);
const CLOSING = new Set([0x7d, 0x5d]);
const COLON = 0x3a;
const COMMA = 0x2c;
/** Longest id that is read, in bytes. */
const ID_BYTES_MAX = 512;

/** Reads the id of a JSON object of any length without keeping the object: a key `id` that is no deeper than its outermost braces. */
class TopLevelId {
  private depth = 0;
  private isText = false;
  private isEscaped = false;
  private isValue = false;
  private key = '';
  private token: number[] = [];
  private found: string | number | null = null;

  constructor(pieces: readonly Buffer[]) {
    for (const piece of pieces) this.read(piece);
  }

  get value(): string | number | null {
    return this.found;
  }

  read(piece: Buffer): void {
    for (const byte of piece) this.step(byte);
  }

  private step(byte: number): void {
    if (this.isText) {
      this.keep(byte);
      if (this.isEscaped) this.isEscaped = false;
      else if (byte === BACKSLASH) this.isEscaped = true;
      else if (byte === QUOTE) this.isText = false;
      return;
    }
    if (byte === QUOTE) {
      this.isText = true;
      this.keep(byte);
    } else if (OPENING.has(byte)) this.depth += 1;
    else if (CLOSING.has(byte)) {
      if (this.depth === 1) this.endPart();
      this.depth -= 1;
    } else if (this.depth === 1 && byte === COLON) {
      this.key = String(this.takeToken());
      this.isValue = true;
    } else if (this.depth === 1 && byte === COMMA) this.endPart();
    else if (byte > 0x20) this.keep(byte);
  }

  private keep(byte: number): void {
    if (this.depth === 1 && this.token.length < ID_BYTES_MAX) this.token.push(byte);
  }

  private endPart(): void {
    const value = this.takeToken();
    if (this.isValue && this.key === 'id' && isId(value)) this.found = value;
    this.isValue = false;
  }

  /** The text or number that was just read; undefined for anything else. */
  private takeToken(): unknown {
    const text = Buffer.from(this.token).toString();
    this.token = [];
    try {
      return JSON.parse(text) as unknown;
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
  }
}
