import { parsedContent } from './derive-text.ts';
import { derivedId } from './derived-id.ts';
import { normalValue } from './facts/fact-key.ts';
import type { Content, Memory, Micros, Scope } from './memory.ts';
import { SCOPE_PARTS } from './scope.ts';

export const PROCEDURE_TYPE = 'procedure';
/** Origins of what callers record with RecordProcedure and RecordEpisode. */
export const PROCEDURES_ORIGIN = 'mneme.procedures';
export const EPISODES_ORIGIN = 'mneme.episodes';
export const PROCEDURE_SCHEMA = 'mneme.procedure.v1';

/** Limits of procedures and episodes that the API promises; `proto/mneme/v1/knowledge_service.proto` documents them. */
export const EXPERIENCE_LIMITS = {
  titleBytes: 256,
  sentenceBytes: 2048,
  steps: 100,
  entries: 64,
  notes: 20,
} as const;

export type TaskOutcome = 'success' | 'failure' | 'partial';

/** How something is done, and how often that went well. */
export interface Procedure {
  readonly id: string;
  readonly scope: Scope;
  readonly title: string;
  /** When it applies; may be empty. */
  readonly situation: string;
  readonly steps: readonly string[];
  readonly counts: Readonly<Record<TaskOutcome, number>>;
  readonly notes: readonly string[];
}

/** Id of the procedure of a title in a scope. */
export function procedureId(scope: Scope, title: string): string {
  return derivedId(`procedure\n${JSON.stringify([...SCOPE_PARTS.map((part) => scope[part]), normalValue(title)])}`);
}

/** Share of successes, where one success and one failure are taken for granted: 0.5 without outcomes. */
export function successRate({ success, failure, partial }: Procedure['counts']): number {
  return (success + partial / 2 + 1) / (success + failure + partial + 2);
}

/**
 * The shortest list that has the steps of both in the order of each. Steps are compared as values of facts are; where two
 * differ, those that are known come first.
 */
export function mergedSteps(known: readonly string[], added: readonly string[], stepsMax: number): readonly string[] {
  const [one, other] = [known.map(normalValue), added.map(normalValue)];
  const common = commonLengths(one, other);
  const merged: string[] = [];
  let [at, to] = [0, 0];
  while (at < known.length || to < added.length) {
    if (at < known.length && to < added.length && one[at] === other[to]) {
      merged.push(known[at++] ?? '');
      to++;
    } else if (
      at < known.length &&
      (to === added.length || (common[at + 1]?.[to] ?? 0) >= (common[at]?.[to + 1] ?? 0))
    ) {
      merged.push(known[at++] ?? '');
    } else merged.push(added[to++] ?? '');
  }
  return merged.slice(0, stepsMax);
}

/** Number of steps that the rest of one has in common with the rest of the other, in order. */
function commonLengths(one: readonly string[], other: readonly string[]): readonly (readonly number[])[] {
  const lengths = Array.from({ length: one.length + 1 }, () => Array<number>(other.length + 1).fill(0));
  for (let at = one.length - 1; at >= 0; at--) {
    for (let to = other.length - 1; to >= 0; to--) {
      const [row, below] = [lengths[at] ?? [], lengths[at + 1] ?? []];
      row[to] = one[at] === other[to] ? (below[to + 1] ?? 0) + 1 : Math.max(below[to] ?? 0, row[to + 1] ?? 0);
    }
  }
  return lengths;
}

/** A procedure after an outcome. */
export function withOutcome(procedure: Procedure, outcome: TaskOutcome, note: string): Procedure {
  const { counts, notes } = procedure;
  return {
    ...procedure,
    counts: { ...counts, [outcome]: counts[outcome] + 1 },
    notes: note === '' ? notes : [...notes, note].slice(-EXPERIENCE_LIMITS.notes),
  };
}

/** What recall finds a procedure by. */
export function procedureText({ title, situation, steps }: Procedure): string {
  const when = situation === '' ? '' : `\nWhen: ${situation}`;
  return `${title}${when}\n${steps.map((step, at) => `${at + 1}. ${step}`).join('\n')}`;
}

export function procedureContent({ title, situation, steps, counts, notes }: Procedure, atUs: Micros): Content {
  const json = {
    schema: PROCEDURE_SCHEMA,
    title,
    situation,
    steps,
    success_count: counts.success,
    failure_count: counts.failure,
    partial_count: counts.partial,
    success_rate: successRate(counts),
    notes,
    updated_at: new Date(Math.floor(atUs / 1000)).toISOString(),
  };
  return { mediaType: 'application/json', data: Buffer.from(JSON.stringify(json)) };
}

/** The procedure that a memory has; `undefined` where it has none. The memory must have been read with its content. */
export function procedureOf({
  id,
  type,
  scope,
  content,
}: Pick<Memory, 'id' | 'type' | 'scope' | 'content'>): Procedure | undefined {
  if (type !== PROCEDURE_TYPE || !content) return undefined;
  const json = parsedContent(content) as Readonly<Record<string, unknown>> | null | undefined;
  if (typeof json !== 'object' || json?.['schema'] !== PROCEDURE_SCHEMA) return undefined;
  const count = (name: string) => (Number.isSafeInteger(json[name]) ? Math.max(0, Number(json[name])) : 0);
  return {
    id,
    scope,
    title: textIn(json['title']),
    situation: textIn(json['situation']),
    steps: textsIn(json['steps']),
    counts: { success: count('success_count'), failure: count('failure_count'), partial: count('partial_count') },
    notes: textsIn(json['notes']),
  };
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
