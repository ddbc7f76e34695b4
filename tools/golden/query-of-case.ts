import { path, type RecallQuery } from '../../clients/typescript/src/index.ts';
import type { GoldenCase, JsonObject } from './cases.ts';
import { isObject } from './stored-entry.ts';

/** The parameter that a bare value is; an object is all parameters at once, unless the form takes it as it is. */
const FORMS: { readonly [strategy: string]: { readonly bare: string; readonly takesObjects?: true } } = {
  attribute: { bare: 'query', takesObjects: true },
  similarity: { bare: 'query', takesObjects: true },
  content: { bare: 'query', takesObjects: true },
  hybrid: { bare: 'query_state', takesObjects: true },
  importance: { bare: 'min_importance' },
  step_based: { bare: 'reference_step' },
  sequence: { bare: 'reference_id' },
  temporal: { bare: 'timestamp' },
};
/** What the reference takes and Mneme has no use for: it always checks. */
const IGNORED = new Set(['skip_validation']);

/** The case as a request of Recall. */
export function queryOf({ agent_id, query, adjust = {} }: GoldenCase): RecallQuery {
  const { strategy, input, params, strategy_options = {} } = query;
  const form = FORMS[strategy];
  const isSpread = isObject(input) && !form?.takesObjects;
  const given: JsonObject = {
    ...strategy_options,
    ...(isSpread ? input : { [form?.bare ?? 'query']: input }),
    ...params,
  };
  const { limit, tier = strategy === 'sequence' ? 'stm' : null, ...rest } = given;
  const parameters = Object.fromEntries(Object.entries(rest).filter(([name]) => !IGNORED.has(name)));
  const limitAsked = adjust.limit ?? limit;
  return {
    scope: { agent: agent_id },
    preset: { name: strategy, parameters, ...(adjust.now !== undefined && { now: new Date(adjust.now) }) },
    // This server stores every memory in its first tier, so what the entry says of its tier is asked for.
    ...(typeof tier === 'string' && { filter: path('metadata.current_tier').equals(tier) }),
    ...(typeof limitAsked === 'number' && { limit: limitAsked }),
  };
}
