import type { NewMemory } from '../../clients/typescript/src/index.ts';
import type { JsonLine, JsonLines } from './json-lines.ts';
import { LineFault, parseMemoryLine } from './parse-memory-line.ts';

/** Memories of lines, one for each: their numbers are those of the lines. */
export class MemoryLines {
  /** Numbers of lines that are none. */
  readonly unreadable = new Set<number>();
  private readonly input: JsonLines;
  private readonly name: string;
  private readonly after: number;
  private readonly end = Promise.withResolvers<void>();
  isInterrupted = false;

  constructor(input: JsonLines, name: string, after: number) {
    this.input = input;
    this.name = name;
    this.after = after;
  }

  interrupt(): void {
    process.stderr.write('mneme: storing what was read (Ctrl-C again ends at once)\n');
    this.isInterrupted = true;
    this.end.resolve();
    this.input.close();
  }

  async *memories(): AsyncGenerator<NewMemory> {
    const lines = this.input.lines[Symbol.asyncIterator]();
    for (let count = 1; ; count++) {
      const next = await Promise.race([lines.next(), this.end.promise]);
      if (!next || next.done || this.isInterrupted) return;
      if (count > this.after) yield this.memoryOf(next.value, count);
    }
  }

  /** One that the server refuses keeps the place of a line that is none. */
  private memoryOf(line: JsonLine, count: number): NewMemory {
    try {
      return parseMemoryLine(line, this.name).memory;
    } catch (error) {
      if (!(error instanceof LineFault)) throw error;
      process.stderr.write(`mneme: ${error.message}\n`);
      this.unreadable.add(count);
      return {};
    }
  }
}
