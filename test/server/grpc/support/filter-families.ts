import { type Filter, MemoryField, Operator, type Value } from '../../../../gen/ts/mneme/v1/filter.ts';

const text = (value: string): Value => ({ kind: { $case: 'stringValue', value } });
const number = (value: number): Value => ({ kind: { $case: 'numberValue', value } });

function field(value: MemoryField, operator: Operator, ...values: Value[]): Filter {
  return {
    node: {
      $case: 'comparison',
      value: { target: { $case: 'field', value }, op: operator, values, ignoreCase: false },
    },
  };
}

function path(value: string, operator: Operator, ...values: Value[]): Filter {
  return {
    node: { $case: 'comparison', value: { target: { $case: 'path', value }, op: operator, values, ignoreCase: false } },
  };
}

const not = (value: Filter): Filter => ({ node: { $case: 'negate', value } });
const all = (...filters: Filter[]): Filter => ({ node: { $case: 'all', value: { filters } } });
const any = (...filters: Filter[]): Filter => ({ node: { $case: 'any', value: { filters } } });

export const inTier = (tier: string): Filter =>
  field(MemoryField.MEMORY_FIELD_TIER, Operator.OPERATOR_EQUALS, text(tier));

/** One filter at least for each family of indexes, and compositions of them. */
export function filterFamilies(): Filter[] {
  const session = field(MemoryField.MEMORY_FIELD_SESSION, Operator.OPERATOR_EQUALS, text('s1'));
  const important = field(MemoryField.MEMORY_FIELD_IMPORTANCE, Operator.OPERATOR_GREATER_OR_EQUAL, number(0.5));
  const red = field(MemoryField.MEMORY_FIELD_TAG, Operator.OPERATOR_EQUALS, text('red'));
  const early = field(MemoryField.MEMORY_FIELD_STEP, Operator.OPERATOR_LESS, number(5));
  const small = path('n', Operator.OPERATOR_LESS_OR_EQUAL, number(2));
  const center = { x: 1, y: 0, z: undefined };
  return [
    session,
    field(MemoryField.MEMORY_FIELD_AGENT, Operator.OPERATOR_IN, text('a1'), text('a3')),
    field(MemoryField.MEMORY_FIELD_TYPE, Operator.OPERATOR_EQUALS, text('fact')),
    field(MemoryField.MEMORY_FIELD_TEXT, Operator.OPERATOR_CONTAINS, text('cat')),
    inTier('long_term'),
    field(MemoryField.MEMORY_FIELD_EXPIRE_TIME, Operator.OPERATOR_EXISTS),
    red,
    important,
    early,
    small,
    path('n', Operator.OPERATOR_EXISTS),
    { node: { $case: 'place', value: { area: { $case: 'pointRadius', value: { center, radius: 1 } } } } },
    not(session),
    all(session, important),
    any(red, small),
    all(not(red), any(early, session)),
  ];
}
