import { readFileSync } from 'node:fs';
import { TokenTable } from '../../../src/search/embedding/static/token-table.ts';

const ASSETS = new URL('../../../assets/', import.meta.url);

export function assetBytes(): Buffer {
  return readFileSync(new URL('static-minilm-v1.bin', ASSETS));
}

export function manifest(): { bytes: number; sha256: string } {
  return JSON.parse(readFileSync(new URL('static-minilm-v1.json', ASSETS), 'utf8'));
}

/** The shipped table: opening it is cheap, so each test file opens its own. */
export function openTable(): TokenTable {
  return new TokenTable(assetBytes());
}

export function fixture(name: string): Buffer {
  return readFileSync(new URL(`./fixtures/${name}`, import.meta.url));
}

export interface SentenceRow {
  readonly text: string;
  readonly ids: number[];
  readonly head?: number[];
  readonly norm?: number;
}

export function sentences(): { assetSha256: string; rows: SentenceRow[] } {
  const [about, ...rows] = fixture('static-vectors.jsonl').toString('utf8').trimEnd().split('\n');
  return { ...JSON.parse(about ?? ''), rows: rows.map((row): SentenceRow => JSON.parse(row)) };
}
