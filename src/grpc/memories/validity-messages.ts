import type { Timestamp } from '../../../gen/ts/google/protobuf/timestamp.ts';
import type { ValidityView } from '../../memory/validity.ts';
import type { RequestChecks } from '../edge/request-checks.ts';
import { instantOf } from '../edge/time-messages.ts';

interface Asked {
  readonly asOf: Timestamp | undefined;
}

/** What recall finds: by default what is valid now. */
export function recalledValidityOf(
  checks: RequestChecks,
  { asOf, includeInvalid }: Asked & { readonly includeInvalid: boolean },
): ValidityView {
  if (!asOf) return includeInvalid ? 'any' : 'current';
  if (includeInvalid) checks.add('include_invalid', 'must be absent beside as_of');
  return { asOfUs: instantOf(checks, 'as_of', asOf) };
}

/** What is listed and counted: by default everything. */
export function listedValidityOf(
  checks: RequestChecks,
  { asOf, includeInvalid }: Asked & { readonly includeInvalid?: boolean | undefined },
): ValidityView {
  if (!asOf) return includeInvalid === false ? 'current' : 'any';
  if (includeInvalid !== undefined) checks.add('include_invalid', 'must be absent beside as_of');
  return { asOfUs: instantOf(checks, 'as_of', asOf) };
}
