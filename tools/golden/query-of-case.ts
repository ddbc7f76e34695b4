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
/** Most that the server is asked for at once, far above what a file of cases holds. */
const LIMIT_MAX = 1000;

/** Arguments of the reference that are none: its defaults hold. Inside the query itself they are values. */
function provided(parameters: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== null));
}

/** The case as a request of Recall. */
export function queryOf(golden: GoldenCase): RecallQuery {
  const { agent_id, query, adjust = {} } = golden;
  const { tier, limit: _, ...rest } = argumentsOf(golden);
  const tierAsked = tier ?? (query.strategy === 'sequence' ? 'stm' : undefined);
  const parameters = Object.fromEntries(Object.entries(rest).filter(([name]) => !IGNORED.has(name)));
  const limit = limitOf(golden);
  return {
    scope: { agent: agent_id },
    preset: { name: query.strategy, parameters, now: adjust.now === undefined ? undefined : new Date(adjust.now) },
    // This server stores every memory in its first tier, so what the entry says of its tier is asked for.
    ...(typeof tierAsked === 'string' && { filter: path('metadata.current_tier').equals(tierAsked) }),
    limit: limit === undefined ? undefined : Math.min(LIMIT_MAX, Math.max(1, limit)),
  };
}

/** Most results of the case; 0, which Recall reads as its default, must be cut to by the one who asks. */
export function limitOf(golden: GoldenCase): number | undefined {
  const limit = golden.adjust?.limit ?? argumentsOf(golden).limit;
  if (limit === undefined || limit === null) return undefined;
  if (typeof limit === 'number' && Number.isInteger(limit) && limit >= 0) return limit;
  throw new Error(`the limit must be a whole number of at least 0, got ${JSON.stringify(limit)}`);
}

/** Names that the case itself gives to what it asks for. */
export function namesIn({ query: { input, params, strategy_options } }: GoldenCase): ReadonlySet<string> {
  return new Set([input, params, strategy_options].flatMap((part) => (isObject(part) ? Object.keys(part) : [])));
}

function argumentsOf({ query }: GoldenCase): JsonObject {
  const { strategy, input, params = {}, strategy_options = {} } = query;
  const form = FORMS[strategy];
  const isSpread = isObject(input) && !form?.takesObjects;
  return {
    ...provided(strategy_options),
    ...(isSpread ? input : { [form?.bare ?? 'query']: input }),
    ...provided(params),
  };
}
