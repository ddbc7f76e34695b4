import type { ImportedMemory, RefusedMemory } from '../../clients/typescript/src/index.ts';
import { CommandFailure, INPUT_REFUSED, PARTLY_DONE, reportFailure } from './failure.ts';
import type { JsonLines } from './json-lines.ts';
import { LineIds } from './line-ids.ts';
import { LineFault, type MemoryLine, parseMemoryLine } from './parse-memory-line.ts';
import type { SaidBefore } from './said-before.ts';

export interface LineOptions {
  /** File that the lines are of, as messages name it. */
  readonly name: string;
  readonly namespace: string;
  /** Passes over lines that say what was said before. Absent: takes all. */
  readonly saidBefore?: SaidBefore | undefined;
  readonly json: boolean;
}

/** The lines of a file as memories to be imported. Lines that are none are told and passed over. */
export class ImportedLines {
  skippedCount = 0;
  duplicateCount = 0;
  private readonly options: LineOptions;
  private readonly ids: LineIds;
  private readonly numbers = new WeakMap<ImportedMemory, number>();
  /** Called before a line is told, so that nothing is drawn over it. */
  private readonly beforeTelling: () => void;

  constructor(options: LineOptions, beforeTelling: () => void) {
    this.options = options;
    this.beforeTelling = beforeTelling;
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

  /** Tells of a memory that the server does not take. */
  refuse({ memory, error }: RefusedMemory): void {
    const { name } = this.options;
    this.skip(new LineFault(name, { line: this.numbers.get(memory) ?? 0, what: error.message }));
  }

  /** Fails when lines were passed over; `storedCount` are there now. */
  finish(storedCount: number): void {
    const { skippedCount } = this;
    if (skippedCount === 0) return;
    const exitCode = storedCount > 0 ? PARTLY_DONE : INPUT_REFUSED;
    throw new CommandFailure(`${countOf(skippedCount)} not stored`, { exitCode });
  }

  private read(parse: () => MemoryLine, isNoLines: boolean): MemoryLine | undefined {
    try {
      return parse();
    } catch (error) {
      if (!(error instanceof LineFault)) throw error;
      // Every line of it would be told.
      if (isNoLines) throw error;
      this.skip(error);
      return undefined;
    }
  }

  /** Nothing for one that was said before. */
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
    reportFailure(fault, this.options);
  }
}

/** The file begins with an array, or with an object over several lines. */
function isNoLines(line = ''): boolean {
  return line.trimStart().startsWith('[') || line.trim() === '{';
}

export function countOf(lines: number): string {
  return lines === 1 ? '1 line was' : `${lines} lines were`;
}
