import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';

export interface JsonLines {
  /** Lines that are not blank, with their number from 1. */
  readonly lines: AsyncIterable<{ readonly line: string; readonly number: number }>;
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
    const decoder = new TextDecoder('utf-8', { fatal: true });
    let rest = '';
    let number = 0;
    for await (const chunk of input as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = parts.pop() ?? '';
      for (const line of parts) {
        number += 1;
        if (line.trim() !== '') yield { line, number };
      }
    }
    rest += decoder.decode();
    if (rest.trim() !== '') yield { line: rest, number: number + 1 };
  }
  return { lines: lines(), bytesTotal, bytesRead: () => bytes, close: () => void input.destroy() };
}
