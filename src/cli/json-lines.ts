import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { CommandFailure } from './failure.ts';

export interface JsonLine {
  /** Absent where `fault` has the reason. */
  readonly line?: string;
  readonly fault?: string;
  /** From 1. */
  readonly number: number;
}

export interface JsonLines {
  /** Lines that are not blank. */
  readonly lines: AsyncIterable<JsonLine>;
  /** Bytes of the file, when it is one. */
  readonly bytesTotal: number | undefined;
  bytesRead(): number;
  /** Reads no further. */
  close(): void;
}

/** More than the maximum size of a memory as JSON. A longer line is skipped without holding it in memory. */
export const LINE_BYTES_MAX = 16 * 1024 * 1024;

/** Opens a file of JSON lines; `-` is stdin. It is read as it is used: at most one line and 64 KB are held in memory. */
export async function openJsonLines(path: string): Promise<JsonLines> {
  const found = path === '-' ? undefined : await stat(path);
  if (found?.isDirectory()) throw new CommandFailure(`${path} is a folder: name a file`);
  const bytesTotal = found?.size;
  const input: Readable = path === '-' ? process.stdin : createReadStream(path);
  let bytes = 0;
  async function* lines() {
    const line = new GrowingLine();
    for await (const chunk of input as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      let from = 0;
      for (let end = chunk.indexOf(NEW_LINE); end >= 0; end = chunk.indexOf(NEW_LINE, from)) {
        line.add(chunk.subarray(from, end));
        const whole = line.take();
        if (whole.line?.trim() !== '') yield whole;
        from = end + 1;
      }
      line.add(chunk.subarray(from));
    }
    const last = line.take();
    if (last.line?.trim() !== '') yield last;
  }
  return { lines: lines(), bytesTotal, bytesRead: () => bytes, close: () => void input.destroy() };
}

const NEW_LINE = 10;
const decoder = new TextDecoder('utf-8', { fatal: true });

class GrowingLine {
  private number = 0;
  private parts: Uint8Array[] = [];
  private bytes = 0;

  add(part: Uint8Array): void {
    this.bytes += part.length;
    if (this.bytes > LINE_BYTES_MAX) this.parts = [];
    else this.parts.push(part);
  }

  take(): JsonLine {
    const { parts, bytes } = this;
    const number = ++this.number;
    this.parts = [];
    this.bytes = 0;
    if (bytes > LINE_BYTES_MAX) return { number, fault: `must be at most ${LINE_BYTES_MAX} bytes, got ${bytes}` };
    try {
      return { number, line: decoder.decode(Buffer.concat(parts)) };
    } catch {
      return { number, fault: 'not UTF-8' };
    }
  }
}
