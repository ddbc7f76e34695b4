import type { GoldenCase } from './cases.ts';
import { isObject } from './stored-entry.ts';

/** What a case may say, by part. Anything else could change what is asked for, so it is not passed over. */
const KEYS: { readonly [part: string]: readonly string[] } = {
  case: ['id', 'suite', 'name', 'memory_file', 'agent_id', 'query', 'expected', 'adjust', 'upstream', 'notes'],
  query: ['strategy', 'input', 'params', 'strategy_options'],
  expected: ['checksums', 'memory_ids', 'error', 'error_type', 'message_contains_any', 'error_also_accepted'],
  adjust: ['now', 'limit'],
};

/** Why the case cannot be run as it is meant; `undefined` when it can. */
export function faultOf(golden: GoldenCase, strategies: ReadonlySet<string>): string | undefined {
  const parts = { case: golden, query: golden.query, expected: golden.expected, adjust: golden.adjust ?? {} };
  for (const [part, value] of Object.entries(parts)) {
    if (!isObject(value)) return `${part} is not an object`;
    const unknown = Object.keys(value).find((key) => !KEYS[part]?.includes(key));
    if (unknown !== undefined) return `${part} has the key "${unknown}", which this runner does not know`;
  }
  const { query, expected, adjust } = golden;
  if (!strategies.has(query.strategy)) return `the server has no preset "${query.strategy}"`;
  for (const part of ['params', 'strategy_options'] as const) {
    if (query[part] !== undefined && !isObject(query[part])) return `query.${part} is not an object`;
  }
  if (adjust?.now !== undefined && Number.isNaN(Date.parse(adjust.now))) return `adjust.now is no time: ${adjust.now}`;
  const { error, checksums, memory_ids } = expected;
  const set = checksums ?? memory_ids;
  if (error ? set && set.length > 0 : !Array.isArray(set)) {
    return 'expected must be either an error or a set of checksums or memory_ids';
  }
  return undefined;
}
