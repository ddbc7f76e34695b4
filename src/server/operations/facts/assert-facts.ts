import type { Call } from '../../../memory/call.ts';
import { retractFrom } from '../../../memory/facts/amend.ts';
import { type Asserted, assertInto, type IgnoredFor } from '../../../memory/facts/assert.ts';
import { oppositesOf, sentenceOf } from '../../../memory/facts/attributes.ts';
import { reinforcedConfidence } from '../../../memory/facts/confidence.ts';
import {
  digestOf,
  FACT_LIMITS,
  type FactKey,
  factId,
  isSingleValued,
  normalAttribute,
  normalSubject,
  normalValue,
  USER,
} from '../../../memory/facts/fact-key.ts';
import type { Fact } from '../../../memory/facts/fact-record.ts';
import { counts, stateOf, type TimelineEntry } from '../../../memory/facts/timeline.ts';
import type { Micros, Scope } from '../../../memory/memory.ts';
import { type TrustLevel, trustRank } from '../../../memory/trust.ts';
import { changeKeys, type Edit, type Timelines } from './change-keys.ts';
import type { FactDeps } from './fact-deps.ts';

/** A statement about a subject, by a caller or by an extractor. */
export interface Statement {
  readonly scope: Scope;
  readonly subject: string;
  readonly attribute: string;
  /** Empty for a retraction of every value. */
  readonly value: string;
  /** Its sentence; empty: one is generated. */
  readonly text: string;
  /** The words of the source, by which a source that is read again is recognized. Absent: the sentence. */
  readonly words?: string;
  /** 0 to 1. */
  readonly confidence: number;
  /** When it was stated. Absent: now. */
  readonly saidAtUs?: Micros;
  /** The begin that the statement names. Absent: `saidAtUs`. */
  readonly validFromUs?: Micros;
  readonly validUntilUs?: Micros;
  /** Names of memories, messages or documents. */
  readonly sources: readonly string[];
  readonly trust: TrustLevel;
  /** A caller asserts it through the API: it may restore forgotten or corrected values. */
  readonly isExplicit: boolean;
  /** Ends the other values of an attribute that has several. */
  readonly replaces: boolean;
  /** The value, or all values, are so no more from `validFromUs` on. */
  readonly retracts: boolean;
}

export interface StatementOutcome {
  readonly kind: Asserted['kind'] | 'retracted';
  /** Absent where there is no such fact. */
  readonly id?: string;
  readonly reason?: IgnoredFor | 'unknown';
  /** Facts that this statement superseded or ended. */
  readonly endedIds: readonly string[];
}

export interface StatementOutcomes {
  readonly outcomes: readonly StatementOutcome[];
  /** Of the write; of the store where nothing was written. */
  readonly revision: number;
}

/**
 * Asserts facts in their order, all or none, and returns the outcome of each. A subject that equals the known name of
 * the user of the scope is the user.
 */
export async function assertFacts(
  deps: FactDeps,
  namespace: string,
  statements: readonly Statement[],
  call: Call,
): Promise<StatementOutcomes> {
  if (statements.length === 0) return { outcomes: [], revision: deps.store.revision };
  const keys = statements.flatMap((statement) => keysOf(statement));
  const { result, outcome } = await changeKeys(
    deps,
    namespace,
    keys,
    (timelines, atUs) => edit(statements, timelines, atUs),
    call,
  );
  return { outcomes: result, revision: outcome?.revision ?? deps.store.revision };
}

/** Every key that a statement can be about, and the key of the user's name. */
function keysOf({ scope, subject, attribute, retracts, isExplicit }: Statement): FactKey[] {
  const [normal, name] = [normalSubject(subject), normalAttribute(attribute)];
  const subjects = normal === USER ? [USER] : [normal, USER];
  const attributes = [name, ...(retracts || isExplicit ? [] : oppositesOf(name))];
  const keys = subjects.flatMap((of) => attributes.map((attribute) => ({ scope, subject: of, attribute })));
  return normal === USER ? keys : [...keys, nameKey(scope)];
}

export function nameKey(scope: Scope): FactKey {
  return { scope, subject: USER, attribute: 'name' };
}

/** True where a subject is the name of a scope's user. */
function isNameOfUser(timelines: Timelines, scope: Scope, subject: string): boolean {
  const digest = digestOf(subject);
  return timelines.of(nameKey(scope)).entries.some((entry) => counts(entry) && entry.value === digest);
}

function edit(statements: readonly Statement[], timelines: Timelines, atUs: Micros): Edit<StatementOutcome[]> {
  const facts = new Map<string, (before: Fact | undefined) => Fact>();
  const copies = new Map<string, string>();
  const result = statements.map((statement) => {
    const key = keyOf(timelines, statement);
    return statement.retracts
      ? retracted(statement, key, timelines, atUs)
      : asserted(statement, key, timelines, { facts, copies }, atUs);
  });
  return { facts, copies, result };
}

function keyOf(timelines: Timelines, { scope, subject, attribute }: Statement): FactKey {
  const normal = normalSubject(subject);
  const isUser = normal !== USER && isNameOfUser(timelines, scope, normal);
  return { scope, subject: isUser ? USER : normal, attribute: normalAttribute(attribute) };
}

function retracted(statement: Statement, key: FactKey, timelines: Timelines, atUs: Micros): StatementOutcome {
  const { value, saidAtUs = atUs, validFromUs: atValidUs = saidAtUs } = statement;
  const before = timelines.of(key);
  const isSingle = isSingleValued(key.attribute);
  const which = value === '' ? {} : { value: digestOf(normalValue(value)) };
  const after =
    retractFrom(before, { ...which, atValidUs, isSingle }, atUs) ??
    retractFrom(before, { ...which, atValidUs: saidAtUs, isSingle }, atUs);
  if (!after) return { kind: 'ignored', reason: 'unknown', endedIds: [] };
  timelines.set(key, after);
  const endedIds = endedBetween(before.entries, after.entries);
  return { kind: 'retracted', ...(endedIds[0] !== undefined && { id: endedIds[0] }), endedIds };
}

function asserted(
  statement: Statement,
  key: FactKey,
  timelines: Timelines,
  { facts, copies }: { facts: Map<string, (before: Fact | undefined) => Fact>; copies: Map<string, string> },
  atUs: Micros,
): StatementOutcome {
  const before = timelines.of(key);
  const value = digestOf(normalValue(statement.value));
  const text = statement.text === '' ? sentenceOf(statement.subject, key.attribute, statement.value) : statement.text;
  const { saidAtUs, validFromUs, validUntilUs: untilUs, trust, isExplicit, replaces, words = text } = statement;
  const isSingle = isSingleValued(key.attribute);
  const assertion = {
    value,
    fromUs: validFromUs ?? saidAtUs ?? atUs,
    isBeginNamed: validFromUs !== undefined,
    saidAtUs,
    untilUs,
    text: digestOf(normalValue(words)),
    trust: trustRank(trust),
    isExplicit,
    isSingle,
    replaces: replaces && !isSingle,
  };
  const newId = (number: number, of = value) => factId(key, of, number);
  const done = assertInto(before, assertion, atUs, { valuesMax: FACT_LIMITS.valuesOfKey, newId });
  if (done.kind === 'ignored') return { ...done, endedIds: [] };
  timelines.set(key, done.timeline);
  if (done.copy) copies.set(done.copy.id, done.copy.of);
  const earlier = facts.get(done.id);
  facts.set(done.id, (stored) => {
    const fact = earlier ? earlier(stored) : stored;
    return fact ? repeated(fact, statement, atUs) : newFact(done.id, key, statement, text, atUs);
  });
  const endedIds = endedBetween(before.entries, done.timeline.entries);
  return { kind: done.kind, id: done.id, endedIds: [...endedIds, ...endedOpposites(statement, key, timelines, atUs)] };
}

/** Ends the value in opposite attributes, unless a source of more trust has stated it there. Returns the ended facts. */
function endedOpposites(statement: Statement, key: FactKey, timelines: Timelines, atUs: Micros): string[] {
  if (statement.isExplicit) return [];
  const digest = digestOf(normalValue(statement.value));
  return oppositesOf(key.attribute).flatMap((attribute) => {
    const opposite = { ...key, attribute };
    const stated = timelines.of(opposite).entries.filter((entry) => counts(entry) && entry.value === digest);
    if (stated.some(({ trust }) => trust > trustRank(statement.trust))) return [];
    return retracted(statement, opposite, timelines, atUs).endedIds;
  });
}

/** Facts whose end was set or brought forward. */
function endedBetween(before: readonly TimelineEntry[], after: readonly TimelineEntry[]): string[] {
  const former = new Map(before.map((entry) => [entry.id, stateOf(entry)?.untilUs ?? Number.POSITIVE_INFINITY]));
  return after.flatMap((entry) => {
    const until = stateOf(entry)?.untilUs ?? Number.POSITIVE_INFINITY;
    return until < (former.get(entry.id) ?? Number.NEGATIVE_INFINITY) ? [entry.id] : [];
  });
}

function newFact(id: string, key: FactKey, statement: Statement, text: string, atUs: Micros): Fact {
  const { subject, value, confidence, sources, trust, saidAtUs = atUs } = statement;
  return {
    id,
    key,
    subject: subject.trim(),
    value: value.trim(),
    text,
    confidence,
    reinforcements: 0,
    sources: [...new Set(sources)].slice(0, FACT_LIMITS.sources),
    trust,
    recordedAtUs: atUs,
    assertedAtUs: Math.min(saidAtUs, atUs),
  };
}

/** The fact after an equal statement; unchanged where the statement has no new source. */
function repeated(fact: Fact, statement: Statement, atUs: Micros): Fact {
  const fresh = [...new Set(statement.sources)].filter((source) => !fact.sources.includes(source));
  if (fresh.length === 0 && statement.sources.length > 0) return fact;
  const [first, ...later] = [...fact.sources, ...fresh];
  const kept = first === undefined ? [] : [first, ...later.slice(1 - FACT_LIMITS.sources)];
  const assertedAtUs = Math.min(statement.saidAtUs ?? atUs, atUs);
  return {
    ...fact,
    confidence: reinforcedConfidence(fact.confidence, statement.confidence),
    reinforcements: fact.reinforcements + 1,
    sources: kept,
    trust: trustRank(statement.trust) > trustRank(fact.trust) ? statement.trust : fact.trust,
    assertedAtUs: Math.max(fact.assertedAtUs, assertedAtUs),
  };
}
