import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Origin } from './machine.ts';
import type { Row } from './row.ts';
import { tables } from './table.ts';

const FOLDER = fileURLToPath(new URL('../../../bench/results', import.meta.url));

/** Keeps a run for people and for programs; returns the path of both files without their endings. */
export function writeResults(from: Origin, rows: readonly Row[]): string {
  mkdirSync(FOLDER, { recursive: true });
  const path = join(FOLDER, `${from.date.slice(0, 16).replace(/[T:]/g, '-')}-${from.commit}`);
  writeFileSync(`${path}.json`, `${JSON.stringify({ ...from, rows }, mapAsObject, 2)}\n`);
  const facts = Object.entries(from).map(([name, value]) => `- ${name}: ${value}`);
  writeFileSync(`${path}.md`, `${[...facts, '', ...tables(rows)].join('\n').trimEnd()}\n`);
  return path;
}

function mapAsObject(_: string, value: unknown): unknown {
  return value instanceof Map ? Object.fromEntries(value) : value;
}
