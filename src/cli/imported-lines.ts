import { createHash, hash } from 'node:crypto';
import {
  Content,
  type ImportedMemory,
  type Mneme,
  NotFoundError,
  type RefusedMemory,
} from '../../clients/typescript/src/index.ts';
import { derivedId } from '../memory/derived-id.ts';
import { CommandFailure, FirstFaults, INPUT_REFUSED, PARTLY_DONE } from './failure.ts';
import type { JsonLines } from './json-lines.ts';
import { LineFault, type MemoryLine, parseMemoryLine } from './parse-memory-line.ts';

export interface LineOptions {
  /** File that the lines are of, as messages name it. */
  readonly name: string;
  readonly namespace: string;
  /** Skips lines that repeat an earlier statement. Absent: accepts all. */
  readonly saidBefore?: SaidBefore;
  readonly json: boolean;
}

/** The lines of a file as memories to be imported. Lines that are none are reported and passed over. */
export class ImportedLines {
  skippedCount = 0;
  duplicateCount = 0;
  private readonly options: LineOptions;
  private readonly ids: LineIds;
  private readonly numbers = new WeakMap<ImportedMemory, number>();
  /** Called before a line is reported, so that the bar does not overwrite it. */
  private readonly beforeTelling: () => void;
  private readonly faults: FirstFaults;

  constructor(options: LineOptions, beforeTelling: () => void) {
    this.options = options;
    this.beforeTelling = beforeTelling;
    this.faults = new FirstFaults(options);
    this.ids = new LineIds(options.namespace);
  }

  async *memories({ lines }: JsonLines): AsyncGenerator<ImportedMemory> {
    let isFirst = true;
    for await (const line of lines) {
      const read = this.read(() => parseMemoryLine(line, this.options.name), isFirst && isNoLines(line.line));
      isFirst = false;
      if (!read) continue;
      const memory = this.withId(read);
      if (memory) yield memory;
    }
  }

  /** Reports a memory that the server refuses. */
  refuse({ memory, error }: RefusedMemory): void {
    const { name } = this.options;
    this.skip(new LineFault(name, { line: this.numbers.get(memory) ?? 0, what: error.message }));
  }

  /** Fails when lines were passed over; `storedCount` are there now. */
  finish(storedCount: number): void {
    const { skippedCount } = this;
    if (skippedCount === 0) return;
    this.reportOthers();
    const exitCode = storedCount > 0 ? PARTLY_DONE : INPUT_REFUSED;
    throw new CommandFailure(`${countOf(skippedCount)} not stored`, { exitCode });
  }

  private read(parse: () => MemoryLine, isNoLines: boolean): MemoryLine | undefined {
    try {
      return parse();
    } catch (error) {
      if (!(error instanceof LineFault)) throw error;
      // Every line of it would be reported.
      if (isNoLines) throw error;
      this.skip(error);
      return undefined;
    }
  }

  /** Undefined for a repeated statement. */
  private withId({ number, memory, json }: MemoryLine): ImportedMemory | undefined {
    const id = memory.id ?? this.ids.idOf(json);
    if (this.options.saidBefore?.isRepeated(id, memory)) {
      this.duplicateCount++;
      return undefined;
    }
    const imported = { ...memory, id };
    this.numbers.set(imported, number);
    return imported;
  }

  private skip(fault: LineFault): void {
    this.skippedCount++;
    this.beforeTelling();
    this.faults.report(fault);
  }

  /** Reports how many lines were passed over beside those that were reported. */
  reportOthers(): void {
    this.faults.reportOthers('lines like these');
  }
}

/** The file begins with an array, or with an object over several lines. */
function isNoLines(line = ''): boolean {
  return line.trimStart().startsWith('[') || line.trim() === '{';
}

export function countOf(lines: number): string {
  return lines === 1 ? '1 line was' : `${lines} lines were`;
}

/** Fields set by the server: they differ for the same memory on another server. */
const DECIDED = new Set(['id', 'name', 'namespace', 'tier', 'checksum', 'version']);

/**
 * Ids for lines without one: equal for the same line in the same namespace, whatever its file and position, as long as
 * it occurs equally often. The n-th of equal lines has the UUID (version 8) of the namespace, n, and the line as JSON
 * with its keys in order, without fields set by the server.
 */
export class LineIds {
  private readonly namespace: string;
  private readonly lines = new Occurrences();

  constructor(namespace: string) {
    this.namespace = namespace;
  }

  idOf(line: Readonly<Record<string, unknown>>): string {
    const text = canonical(Object.fromEntries(Object.entries(line).filter(([key]) => !DECIDED.has(key))));
    return derivedId(`line:${this.namespace}:${this.lines.next(hash('sha256', text, 'buffer'))}:${text}`);
  }
}

/** JSON with the keys of every object in order. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${canonical(one)}`).join(',')}}`;
}

/** Digests of memories: text, content, source and scope. Takes 40 to 100 bytes of memory for each. */
export class SaidBefore {
  private readonly sayings = new Occurrences();
  private readonly ids = new Occurrences();

  /** Adds all memories of the namespace. */
  async learn(mneme: Mneme): Promise<void> {
    try {
      for await (const memory of mneme.list({ onDamaged: () => {} })) {
        this.ids.next(hash('sha256', memory.id, 'buffer'));
        this.sayings.next(digestOf(memory));
        // A derived text is equivalent to an empty one.
        if (memory.content) this.sayings.next(digestOf({ ...memory, text: '' }));
      }
    } catch (error) {
      // The namespace does not exist yet.
      if (!(error instanceof NotFoundError)) throw error;
    }
  }

  /** Whether another memory has the same statement. A memory with only a vector has none. */
  isRepeated(id: string, memory: ImportedMemory): boolean {
    if (!memory.text && memory.content === undefined) return false;
    const isRepeated = this.sayings.next(digestOf(memory)) > 1;
    return isRepeated && !this.ids.has(hash('sha256', id, 'buffer'));
  }
}

function digestOf({ text = '', content, scope = {}, source = {} }: ImportedMemory): Buffer {
  const { project = '', agentType = '', agent = '', session = '' } = scope;
  const body = content === undefined || content instanceof Content ? content : Content.json(content);
  const named = [text, project, agentType, agent, session, source.speaker ?? '', body?.mediaType ?? ''];
  return createHash('sha256')
    .update(JSON.stringify(named))
    .update(body?.data ?? '')
    .digest();
}

const ROOM_AT_FIRST = 1024;
/** Maximum fill factor. */
const FULL = 0.7;
const MIX = 0x9e3779b97f4a7c15n;

/** Counts occurrences of digests, in 12 bytes for each slot of a table: some 20 to 35 bytes a digest. */
export class Occurrences {
  /** First 8 bytes of each digest; 0 is an empty place. */
  private keys = new BigUint64Array(ROOM_AT_FIRST);
  private counts = new Uint32Array(ROOM_AT_FIRST);
  private size = 0;

  /** How often the digest has come by now: 1 for the first time. */
  next(digest: Buffer): number {
    if (this.size >= this.keys.length * FULL) this.grow();
    const key = digest.readBigUInt64LE() || MIX;
    const place = this.placeOf(key);
    if (this.keys[place] === 0n) {
      this.keys[place] = key;
      this.size++;
    }
    const count = (this.counts[place] ?? 0) + 1;
    this.counts[place] = count;
    return count;
  }

  has(digest: Buffer): boolean {
    return this.keys[this.placeOf(digest.readBigUInt64LE() || MIX)] !== 0n;
  }

  private placeOf(key: bigint): number {
    const mask = this.keys.length - 1;
    let place = Number(key & BigInt(mask));
    while (this.keys[place] !== 0n && this.keys[place] !== key) place = (place + 1) & mask;
    return place;
  }

  private grow(): void {
    const { keys, counts } = this;
    this.keys = new BigUint64Array(keys.length * 2);
    this.counts = new Uint32Array(keys.length * 2);
    keys.forEach((key, at) => {
      if (key === 0n) return;
      const place = this.placeOf(key);
      this.keys[place] = key;
      this.counts[place] = counts[at] ?? 0;
    });
  }
}
