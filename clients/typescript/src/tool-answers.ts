import { badInput } from './bad-input.ts';
import { MnemeError } from './errors.ts';
import type { Memory } from './memory.ts';
import type { MemoryCalls } from './memory-calls.ts';
import type { NamespaceCalls } from './namespace-calls.ts';
import type { CallOptions } from './options.ts';
import { PreciseDate } from './precise-date.ts';
import type { RawCalls } from './raw-calls.ts';
import type { RecallCalls } from './recall-calls.ts';
import type { RecallQuery } from './recall-types.ts';

/** What tools need of a client. */
export type ToolCalls = Pick<MemoryCalls & RecallCalls, 'store' | 'batchStore' | 'forget' | 'recall'> & {
  readonly namespace: string;
  readonly raw: RawCalls['raw'];
  readonly namespaces: Pick<NamespaceCalls, 'getStatistics'>;
};

export type ToolResult = { readonly [key: string]: unknown };

/** Relevance from which on a procedure is taken to fit; see `docs/guides/nothing-relevant.md`. */
export const RELEVANT_MIN = 0.07;

/** The memories that answer, as tools answer them. */
export async function foundMemories(mneme: ToolCalls, query: RecallQuery, options: CallOptions) {
  const answer = await unlessMissing(() => mneme.recall(query, options));
  return (answer?.hits ?? []).map(({ memory, relevance, passage }) => ({
    ...memoryAnswer(memory),
    ...(passage && { text: passage.text.trim() }),
    relevance,
  }));
}

function memoryAnswer({ id, text, type, tags, importance, source, scope, eventTime, version }: Memory) {
  return {
    id,
    text,
    type,
    tags,
    importance,
    ...(source.speaker && { speaker: source.speaker }),
    ...(scope.session && { session: scope.session }),
    event_time: eventTime.toISOString(),
    version,
  };
}

const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/;

/** Fails with INVALID_ARGUMENT, which names the argument. */
export function timeOf(name: string, text: string): Date {
  try {
    if (TIME.test(text)) return PreciseDate.from(text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw badInput(`arguments.${name}`, 'expected a time such as 2026-11-21T09:00:00Z, or a day such as 2026-11-21');
}

/** As `timeOf`, for the end of a new memory: one that has expired is stored and never found. */
export function futureOf(name: string, text: string): Date {
  const time = timeOf(name, text);
  const now = new Date();
  if (time > now) return time;
  throw badInput(`arguments.${name}`, `expected a time in the future; it is ${now.toISOString()} now`);
}

/** The first memory creates a namespace: before that it is empty. */
export async function unlessMissing<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof MnemeError && error.reason === 'NAMESPACE_NOT_FOUND') return undefined;
    throw error;
  }
}
