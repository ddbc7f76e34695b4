import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';

export interface JsonLine {
  /** Absent where the bytes of the line are not UTF-8. */
  readonly line?: string;
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

/** Opens a file of JSON lines; `-` is stdin. */
export async function openJsonLines(path: string): Promise<JsonLines> {
  const bytesTotal = path === '-' ? undefined : (await stat(path)).size;
  const input: Readable = path === '-' ? process.stdin : createReadStream(path);
  let bytes = 0;
  async function* lines() {
    let parts: Uint8Array[] = [];
    let number = 0;
    for await (const chunk of input as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      let from = 0;
      for (let end = chunk.indexOf(NEW_LINE); end >= 0; end = chunk.indexOf(NEW_LINE, from)) {
        const line = lineOf([...parts, chunk.subarray(from, end)], ++number);
        if (line.line?.trim() !== '') yield line;
        parts = [];
        from = end + 1;
      }
      parts.push(chunk.subarray(from));
    }
    const last = lineOf(parts, number + 1);
    if (last.line?.trim() !== '') yield last;
  }
  return { lines: lines(), bytesTotal, bytesRead: () => bytes, close: () => void input.destroy() };
}

const NEW_LINE = 10;
const decoder = new TextDecoder('utf-8', { fatal: true });

function lineOf(parts: readonly Uint8Array[], number: number): JsonLine {
  try {
    return { line: decoder.decode(Buffer.concat(parts)), number };
  } catch {
    return { number };
  }
}
