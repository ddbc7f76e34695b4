import {
  type AssertFactResponse,
  AssertOutcome,
  type FactHistory as FactHistoryMessage,
  type Fact as FactMessage,
} from '../../../../gen/ts/mneme/v1/knowledge_service.ts';
import { decayedConfidence } from '../../../memory/facts/confidence.ts';
import { FACT_LIMITS, type FactKey, normalAttribute, normalSubject } from '../../../memory/facts/fact-key.ts';
import type { Micros, Scope } from '../../../memory/memory.ts';
import type { AssertedFact } from '../../operations/facts/assert-fact.ts';
import type { Statement } from '../../operations/facts/assert-facts.ts';
import type { StoredFact } from '../../operations/facts/fact-deps.ts';
import type { FactHistory } from '../../operations/facts/read-facts.ts';
import { instantOf, memoryName, optionalTimestamp, type RequestChecks, timestampOf } from '../edge/request-checks.ts';
import { scopeOf } from '../memories/memory-fields.ts';
import { TRUST_NUMBERS } from './trust-numbers.ts';

/** How a fact's confidence is seen: at an instant, with the half-life that is configured. */
export interface FactReadTime {
  readonly nowUs: Micros;
  readonly halfLifeDays: number;
}

const OUTCOMES: Readonly<Record<AssertedFact['kind'], AssertOutcome>> = {
  created: AssertOutcome.ASSERT_OUTCOME_CREATED,
  reinforced: AssertOutcome.ASSERT_OUTCOME_REINFORCED,
  retracted: AssertOutcome.ASSERT_OUTCOME_RETRACTED,
  ignored: AssertOutcome.ASSERT_OUTCOME_IGNORED,
};

export function factMessage({ fact, state, memory }: StoredFact, { nowUs, halfLifeDays }: FactReadTime): FactMessage {
  const { namespace, scope, revision } = memory;
  const { confidence, assertedAtUs } = fact;
  return {
    name: memoryName(namespace, fact.id),
    scope: { namespace, ...scope },
    subject: fact.subject,
    attribute: fact.key.attribute,
    value: fact.value,
    text: fact.text,
    confidence: decayedConfidence(confidence, { assertedAtUs, nowUs, halfLifeDays }),
    reinforcementCount: fact.reinforcements,
    sources: [...fact.sources],
    trust: TRUST_NUMBERS[fact.trust],
    validFrom: timestampOf(state.fromUs),
    validUntil: optionalTimestamp(state.untilUs),
    supersededBy: state.by === undefined ? '' : memoryName(namespace, state.by),
    recordTime: timestampOf(fact.recordedAtUs),
    assertTime: timestampOf(assertedAtUs),
    version: BigInt(revision),
  };
}

export function assertResponse(
  namespace: string,
  { kind, fact, endedIds, revision }: AssertedFact,
  readTime: FactReadTime,
): AssertFactResponse {
  return {
    fact: fact && factMessage(fact, readTime),
    outcome: OUTCOMES[kind],
    superseded: endedIds.map((id) => memoryName(namespace, id)),
    revision: BigInt(revision),
  };
}

export function historyMessage(
  namespace: string,
  { states, isWithdrawn, ...stored }: FactHistory['facts'][number],
  readTime: FactReadTime,
): FactHistoryMessage {
  return {
    fact: factMessage(stored, readTime),
    states: states.map(({ atUs, fromUs, untilUs, by }) => ({
      recordTime: timestampOf(atUs),
      validFrom: timestampOf(fromUs),
      validUntil: optionalTimestamp(untilUs),
      supersededBy: by === undefined ? '' : memoryName(namespace, by),
    })),
    withdrawn: isWithdrawn,
  };
}

const { subjectBytes, attributeBytes, valueBytes, textBytes, sourceBytes, sources: sourcesMax } = FACT_LIMITS;

/** A non-blank subject; `undefined` where it is empty and optional. */
export function subjectOf(checks: RequestChecks, field: string, value: string): string | undefined {
  if (value === '') return undefined;
  checks.text(field, value, subjectBytes, { plain: true });
  if (normalSubject(value) === '') checks.add(field, 'must contain a letter or a digit');
  return value;
}

export function attributeOf(checks: RequestChecks, field: string, value: string): string | undefined {
  if (value === '') return undefined;
  checks.text(field, value, attributeBytes, { plain: true });
  if (normalAttribute(value) === '') checks.add(field, 'must contain a letter or a digit');
  return value;
}

export function valueIn(checks: RequestChecks, field: string, value: string): string | undefined {
  if (value === '') return undefined;
  if (value.trim() === '') checks.add(field, 'must contain a visible character');
  return checks.text(field, value, valueBytes);
}

/** Marks a field that must be there. */
export function required<T>(checks: RequestChecks, field: string, bytesMax: number, value: T | undefined, none: T): T {
  if (value === undefined) checks.add(field, `must be 1 to ${bytesMax} bytes, got an empty text`);
  return value ?? none;
}

export function keyOf(
  checks: RequestChecks,
  { scope, subject, attribute }: { scope: Scope; subject: string; attribute: string },
): FactKey {
  const named = required(checks, 'subject', subjectBytes, subjectOf(checks, 'subject', subject), '');
  const asked = required(checks, 'attribute', attributeBytes, attributeOf(checks, 'attribute', attribute), '');
  return { scope, subject: normalSubject(named), attribute: normalAttribute(asked) };
}

/** The caller's assertion. */
export function statementOf(
  checks: RequestChecks,
  fact: FactMessage | undefined,
  { replaces, retracts }: { readonly replaces: boolean; readonly retracts: boolean },
): Statement {
  if (!fact) checks.add('fact', 'is required');
  const time = (name: 'validFrom' | 'validUntil', field: string) =>
    fact?.[name] && instantOf(checks, `fact.${field}`, fact[name]);
  const [validFromUs, validUntilUs] = [time('validFrom', 'valid_from'), time('validUntil', 'valid_until')];
  if (validFromUs !== undefined && validUntilUs !== undefined && validUntilUs <= validFromUs) {
    checks.add('fact.valid_until', 'must be after valid_from');
  }
  if (retracts && replaces) checks.add('replaces', 'must be false when retracts is set');
  if (retracts && validUntilUs !== undefined) checks.add('fact.valid_until', 'must be absent when retracts is set');
  const value = valueIn(checks, 'fact.value', fact?.value ?? '');
  const subject = subjectOf(checks, 'fact.subject', fact?.subject ?? '');
  const attribute = attributeOf(checks, 'fact.attribute', fact?.attribute ?? '');
  return {
    scope: scopeOf(checks, 'fact.scope', fact?.scope),
    subject: required(checks, 'fact.subject', subjectBytes, subject, ''),
    attribute: required(checks, 'fact.attribute', attributeBytes, attribute, ''),
    value: retracts ? (value ?? '') : required(checks, 'fact.value', valueBytes, value, ''),
    text: checks.text('fact.text', fact?.text ?? '', textBytes).trim(),
    confidence: fact?.confidence === undefined ? 1 : checks.within('fact.confidence', fact.confidence, 0, 1),
    validFromUs,
    validUntilUs,
    sources: sourcesOf(checks, fact?.sources ?? []),
    trust: 'explicit',
    isExplicit: true,
    replaces,
    retracts,
  };
}

function sourcesOf(checks: RequestChecks, sources: readonly string[]): string[] {
  if (sources.length > sourcesMax) checks.add('fact.sources', `must be at most ${sourcesMax}, got ${sources.length}`);
  return sources.slice(0, sourcesMax).map((source, at) => {
    const field = `fact.sources[${at}]`;
    if (source === '') checks.add(field, `must be 1 to ${sourceBytes} bytes, got an empty text`);
    return checks.text(field, source, sourceBytes, { plain: true });
  });
}
