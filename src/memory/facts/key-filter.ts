import { type Filter, type MemoryField, type Operator, someComparison } from '../filter.ts';
import type { ValidityView } from '../validity.ts';
import { KEY_TYPE } from './fact-record.ts';

type Tested = Extract<Filter, { readonly kind: 'comparison' }>;

function compared(field: MemoryField, operator: Operator, ...values: string[]): Tested {
  return { kind: 'comparison', target: { kind: 'field', field }, operator, values, ignoreCase: false };
}

const SCOPE_FIELDS = ['project', 'agent_type', 'agent', 'session'] as const;
/** As `isKeyRecord`. */
const HAS_SCOPE = SCOPE_FIELDS.map((field) => compared(field, 'exists'));
const IS_NO_KEY: Filter = {
  kind: 'any',
  filters: [{ kind: 'not', filter: compared('type', 'equals', KEY_TYPE) }, ...HAS_SCOPE],
};

/**
 * The filter of a caller's list, count or recall, without the records of keys, which state nothing: unless it names
 * their type. They are never valid, so that only a view of all memories has them.
 */
export function withoutKeys(filter: Filter | undefined, validity: ValidityView): Filter | undefined {
  if (validity !== 'any' || (filter && someComparison(filter, namesKeys))) return filter;
  return filter ? { kind: 'all', filters: [filter, IS_NO_KEY] } : IS_NO_KEY;
}

function namesKeys({ target, values }: Tested): boolean {
  return target.kind === 'field' && target.field === 'type' && values.includes(KEY_TYPE);
}
