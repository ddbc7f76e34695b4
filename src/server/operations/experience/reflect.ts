import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Call } from '../../../memory/call.ts';
import { EPISODE_TYPE } from '../../../memory/consolidation/conversation-episode.ts';
import { isNamespaceMissing } from '../../../memory/errors.ts';
import type { Filter, MemoryField, Operator } from '../../../memory/filter.ts';
import type { Micros, Scope } from '../../../memory/memory.ts';
import { type EpisodeRecord, episodeRecordOf } from '../../../memory/reflection/episode-record.ts';
import type { ReflectionOptions } from '../../../memory/reflection/findings.ts';
import { type Reflection, reflectionOf } from '../../../memory/reflection/reflection.ts';
import { BASELINE_US } from '../../../memory/reflection/size-anomalies.ts';
import { validFilter } from '../../../memory/validity.ts';
import { termsOf } from '../../../memory/words.ts';
import type { ListPage, ListPosition } from '../../../storage/records.ts';
import { compare, PAGE_BYTES, scopeFilters } from '../memories/list-memories.ts';
import type { MemoryDeps } from '../memories/operation-deps.ts';

export interface ReflectRequest extends ReflectionOptions {
  readonly namespace: string;
  /** Parts that are not empty must be equal. */
  readonly scope: Scope;
  readonly startUs: Micros;
  /** Excluded. */
  readonly endUs: Micros;
  /** Words that the task of an episode must have; empty: any. */
  readonly task: string;
  /** Episodes that are read of the range, and as many before it. */
  readonly episodesMax: number;
}

export interface Reflected extends Reflection {
  readonly startUs: Micros;
  readonly isTruncated: boolean;
  readonly unknownOutcomeCount: number;
  readonly damagedCount: number;
}

type ReflectDeps = Pick<MemoryDeps, 'store' | 'view' | 'clock' | 'autoCreateNamespaces'>;

/** Reads the episodes of a time range and of the 30 days before it, and computes their patterns. */
export async function reflect(deps: ReflectDeps, request: ReflectRequest, call: Call): Promise<Reflected> {
  const { records, from, ...read } = await readEpisodes(deps, request, call);
  return { ...(await computed({ records, from }, request, call)), ...read };
}

interface ReadEpisodes {
  /** In order of time, ties by id. */
  readonly records: readonly EpisodeRecord[];
  /** Place of the first episode of the range. */
  readonly from: number;
  readonly startUs: Micros;
  readonly isTruncated: boolean;
  readonly unknownOutcomeCount: number;
  readonly damagedCount: number;
}

const PAGE = 500;
/** Characters of actions that are kept in all; the actions of older episodes are not compared. */
const ACTIONS_LENGTH_MAX = 32_000_000;

async function readEpisodes(deps: ReflectDeps, request: ReflectRequest, call: Call): Promise<ReadEpisodes> {
  const { endUs, episodesMax, task } = request;
  let { startUs } = request;
  const terms = [...new Set(termsOf(task))];
  const current: EpisodeRecord[] = [];
  const baseline: EpisodeRecord[] = [];
  let [read, oldestUs, unknownOutcomeCount, damagedCount, actionsLength] = [0, endUs, 0, 0, 0];
  let isTruncated = false;
  for await (const { memories, damagedIds = [] } of existingPages(deps, request, call)) {
    damagedCount += damagedIds.length;
    for (const memory of memories) {
      const isCurrent = !isTruncated && memory.eventAtUs >= startUs;
      // The newest episodes are read: what is beyond the limit is the baseline of these.
      if (isCurrent && read === episodesMax) {
        isTruncated = true;
        startUs = oldestUs;
      }
      const isOfRange = isCurrent && !isTruncated;
      if (isOfRange) {
        read++;
        oldestUs = memory.eventAtUs;
      } else if (memory.eventAtUs < startUs - BASELINE_US || baseline.length === episodesMax) {
        return ordered(current, baseline, { startUs, isTruncated, unknownOutcomeCount, damagedCount });
      }
      const record = episodeRecordOf(memory);
      if (!record) unknownOutcomeCount += Number(isOfRange);
      else if (hasTerms(record.task, terms)) {
        actionsLength += record.actions.reduce((length, action) => length + action.length, 0);
        const kept = actionsLength > ACTIONS_LENGTH_MAX ? { ...record, actions: [] } : record;
        (isOfRange ? current : baseline).push(kept);
      }
    }
  }
  return ordered(current, baseline, { startUs, isTruncated, unknownOutcomeCount, damagedCount });
}

function ordered(
  current: readonly EpisodeRecord[],
  baseline: readonly EpisodeRecord[],
  rest: Omit<ReadEpisodes, 'records' | 'from'>,
): ReadEpisodes {
  const byTime = (one: EpisodeRecord, other: EpisodeRecord) => one.atUs - other.atUs || (one.id < other.id ? -1 : 1);
  const records = [...[...baseline].sort(byTime), ...[...current].sort(byTime)];
  return { records, from: baseline.length, ...rest };
}

function hasTerms(task: string, terms: readonly string[]): boolean {
  if (terms.length === 0) return true;
  const known = new Set(termsOf(task));
  return terms.every((term) => known.has(term));
}

/** No pages of a namespace that its first write would create. */
async function* existingPages(deps: ReflectDeps, request: ReflectRequest, call: Call): AsyncGenerator<ListPage> {
  try {
    yield* pages(deps, request, call);
  } catch (error) {
    if (!(deps.autoCreateNamespaces && isNamespaceMissing(error))) throw error;
  }
}

/** Pages of the episodes of the range and of the 30 days before, the newest first. */
async function* pages(
  { view, clock }: ReflectDeps,
  { namespace, scope, startUs, endUs }: ReflectRequest,
  { signal }: Call,
): AsyncGenerator<ListPage> {
  const nowUs = clock.nowUs();
  const wanted: Filter = {
    kind: 'all',
    filters: [
      compare('type', 'equals', EPISODE_TYPE),
      time('event_time', 'greater_or_equal', startUs - BASELINE_US),
      time('event_time', 'less', endUs),
      ...scopeFilters(scope),
    ],
  };
  const filter = validFilter(wanted, 'current', nowUs) ?? wanted;
  let after: ListPosition | undefined;
  do {
    signal.throwIfAborted();
    const page: ListPage = await view.list({
      ...{ namespace, filter, order: 'event_time_desc', limit: PAGE, bytesMax: PAGE_BYTES, view: 'basic', nowUs },
      after,
    });
    yield page;
    after = page.next;
  } while (after);
}

function time(field: MemoryField, operator: Operator, timeUs: Micros): Filter {
  return { kind: 'comparison', target: { kind: 'field', field }, operator, values: [{ timeUs }], ignoreCase: false };
}

/** Work between two turns of the event loop. */
const SLICE_MS = 5;

/** Computes in slices, so that other calls are answered meanwhile. */
async function computed(
  history: { readonly records: readonly EpisodeRecord[]; readonly from: number },
  options: ReflectionOptions,
  { signal }: Call,
): Promise<Reflection> {
  const work = reflectionOf(history, options);
  let sliceEndMs = performance.now() + SLICE_MS;
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    if (performance.now() < sliceEndMs) continue;
    await nextTurn();
    signal.throwIfAborted();
    sliceEndMs = performance.now() + SLICE_MS;
  }
}
