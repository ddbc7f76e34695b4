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
    /** Compared where no checksums are given. */
    readonly memory_ids?: readonly string[];
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

/** What decides how the cases of a file are to be read and compared. */
const FORMAT = 1;
const COMPARE = 'set of metadata.checksum';

interface CaseFile {
  readonly format?: number;
  readonly compare?: string;
  readonly cases?: readonly GoldenCase[];
}

interface MemoryFile {
  readonly agents: { readonly [agent: string]: { readonly memories: readonly Entry[] } };
}

export function casesIn(path: string): readonly GoldenCase[] {
  const { format = FORMAT, compare = COMPARE, cases } = JSON.parse(readFileSync(path, 'utf8')) as CaseFile;
  if (cases === undefined || cases.length === 0) throw new Error(`${path} holds no cases`);
  if (format !== FORMAT) throw new Error(`${path} is of format ${format}: this runner reads format ${FORMAT}`);
  if (!compare.startsWith(COMPARE)) throw new Error(`${path} compares "${compare}": this runner compares a ${COMPARE}`);
  return cases;
}

/** Entries by agent. */
export function entriesIn(path: string): ReadonlyMap<string, readonly Entry[]> {
  const { agents } = JSON.parse(readFileSync(path, 'utf8')) as MemoryFile;
  return new Map(Object.entries(agents).map(([agent, { memories }]) => [agent, memories]));
}
