import { readFileSync } from 'node:fs';
import type { Json } from '../../clients/typescript/src/index.ts';

export type JsonObject = { readonly [key: string]: Json };

/** One retrieval with what it must find, as the `README.md` beside the cases describes it. */
export interface GoldenCase {
  readonly id: string;
  readonly memory_file: string;
  readonly agent_id: string;
  readonly query: {
    readonly strategy: string;
    readonly input: Json;
    readonly params: JsonObject;
    readonly strategy_options?: JsonObject;
  };
  readonly expected: {
    readonly checksums?: readonly string[];
    readonly error?: boolean;
    readonly error_also_accepted?: boolean;
  };
  readonly adjust?: { readonly now?: string; readonly limit?: number };
}

/** An entry of the Agent Memory API, as its files have them. */
export interface Entry {
  readonly memory_id: string;
  readonly agent_id: string;
  readonly content: Json;
  readonly metadata: JsonObject;
  readonly type: string;
  readonly step_number?: number | null;
  readonly timestamp?: number | null;
}

interface MemoryFile {
  readonly agents: { readonly [agent: string]: { readonly memories: readonly Entry[] } };
}

export function casesIn(path: string): readonly GoldenCase[] {
  const { cases } = JSON.parse(readFileSync(path, 'utf8')) as { readonly cases?: readonly GoldenCase[] };
  if (cases === undefined) throw new Error(`${path} holds no cases`);
  return cases;
}

export function entriesIn(path: string): readonly Entry[] {
  const { agents } = JSON.parse(readFileSync(path, 'utf8')) as MemoryFile;
  return Object.values(agents).flatMap(({ memories }) => memories);
}
