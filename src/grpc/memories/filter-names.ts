import { MemoryField as FieldNumber, Operator as OperatorNumber } from '../../../gen/ts/mneme/v1/filter.ts';
import type { MemoryField, Operator } from '../../memory/filter.ts';

/** What the numbers of the enum stand for; the unspecified one is left out, so that it is refused. */
export const OPERATORS: Readonly<Record<number, Operator>> = {
  [OperatorNumber.OPERATOR_EQUALS]: 'equals',
  [OperatorNumber.OPERATOR_IN]: 'in',
  [OperatorNumber.OPERATOR_LESS]: 'less',
  [OperatorNumber.OPERATOR_LESS_OR_EQUAL]: 'less_or_equal',
  [OperatorNumber.OPERATOR_GREATER]: 'greater',
  [OperatorNumber.OPERATOR_GREATER_OR_EQUAL]: 'greater_or_equal',
  [OperatorNumber.OPERATOR_CONTAINS]: 'contains',
  [OperatorNumber.OPERATOR_STARTS_WITH]: 'starts_with',
  [OperatorNumber.OPERATOR_EXISTS]: 'exists',
  [OperatorNumber.OPERATOR_IS_NULL]: 'is_null',
  [OperatorNumber.OPERATOR_MATCHES]: 'matches',
};

const PREFIX = 'MEMORY_FIELD_';

/** The domain's name of a field is the enum's in lower case. */
export const FIELDS: Readonly<Record<number, MemoryField>> = Object.fromEntries(
  Object.entries(FieldNumber)
    .filter(([name, number]) => name.startsWith(PREFIX) && number > 0)
    .map(([name, number]) => [number, name.slice(PREFIX.length).toLowerCase() as MemoryField]),
);
