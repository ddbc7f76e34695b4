import {
  EPISODE_TYPE,
  type Stretch,
  stretchesOf,
  stretchId,
} from '../../../memory/consolidation/conversation-episode.ts';
import { derivationOf } from '../../../memory/consolidation/derivation.ts';
import { restatedGroups } from '../../../memory/consolidation/restated-notes.ts';
import { isMessage, MESSAGE_TYPE } from '../../../memory/conversation.ts';
import { derivedId } from '../../../memory/derived-id.ts';
import { FACT_TYPE } from '../../../memory/facts/fact-record.ts';
import type { Filter, MemoryField } from '../../../memory/filter.ts';
import { MEMORY_LIMITS } from '../../../memory/limits.ts';
import type { Memory, Micros, Scope } from '../../../memory/memory.ts';
import { STATEMENT_TYPE } from '../../../memory/memory.ts';
import { trustOf } from '../../../memory/memory-trust.ts';
import type { ListPage, ListPosition } from '../../../storage/records.ts';
import { compare, PAGE_BYTES } from '../memories/list-memories.ts';
import type { MemoryDeps } from '../memories/operation-deps.ts';

/** Memories that become one memory. */
export type Step =
  /** Notes that say the same, the most complete one first; the new memory hides them from recall. */
  | { readonly kind: 'merge'; readonly id: string; readonly sources: readonly [Memory, ...Memory[]] }
  /** Messages of a finished conversation; they stay as they are. */
  | { readonly kind: 'episode'; readonly id: string; readonly sources: Stretch };

/** Memories of one kind in one scope that are looked at; the oldest come first. */
export const SCANNED_MAX = 100_000;
/** Notes that become one; more become one with the next consolidation. */
const MERGED_MAX = 500;
const PAGE = 500;
const NOTE_TYPES = [FACT_TYPE, STATEMENT_TYPE, 'note'];

export interface PlanQuery {
  readonly namespace: string;
  /** Exactly. */
  readonly scope: Scope;
  /** A conversation without messages for this long is finished. */
  readonly idleUs: Micros;
  readonly nowUs: Micros;
  /** Ids of memories that are not to be made. */
  readonly undoneIds: ReadonlySet<string>;
  readonly signal: AbortSignal;
}

type PlanDeps = Pick<MemoryDeps, 'view'>;

/** What consolidation does with the memories of one scope. The same memories give the same steps with the same ids. */
export async function plannedSteps(deps: PlanDeps, query: PlanQuery): Promise<Step[]> {
  const steps = [...(await merges(deps, query)), ...(await episodes(deps, query))];
  return steps.filter(({ id }) => !query.undoneIds.has(id));
}

async function merges(deps: PlanDeps, query: PlanQuery): Promise<Step[]> {
  const current: Filter = { kind: 'not', filter: isSet('superseded_by') };
  const alike = new Map<string, Memory[]>();
  for await (const memory of scan(deps, query, NOTE_TYPES, [current])) {
    if (!isMergeable(memory)) continue;
    const { type, tags, source } = memory;
    // What differs in one of these is not the same for a filter, and an untrusted text never hides a trusted one.
    const key = JSON.stringify([type, trustOf(memory), [...tags].sort(), source.speaker]);
    const group = alike.get(key) ?? [];
    group.push(memory);
    alike.set(key, group);
  }
  return [...alike.values()].flatMap((group) =>
    restatedGroups(group, ({ text }) => text).flatMap((items): Step[] => {
      const [first, ...others] = items.slice(0, MERGED_MAX);
      if (!first || others.length === 0) return [];
      return [{ kind: 'merge', id: mergeId([first, ...others]), sources: [first, ...others] }];
    }),
  );
}

/**
 * Id of the note that others become. It depends on the notes that were first merged, so that a merge that was undone step
 * by step is not made again as one step.
 */
function mergeId(notes: readonly Memory[]): string {
  const ids = notes.map(({ id }) => id).sort();
  const first = notes.flatMap((note) => derivationOf(note)?.sources.map(idInName) ?? [note.id]);
  const id = derivedId(`merged\n${[...new Set(first)].sort().join('\n')}`);
  // One of the notes is there again that the merged one had hidden.
  return ids.includes(id) ? derivedId(`merged\n${ids.join('\n')}`) : id;
}

function idInName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

/** Notes with content of their own, a place, a step or an end are left as they are, and so are facts with a timeline. */
function isMergeable(memory: Memory): boolean {
  const { text, content, place, step, expiresAtUs, validFromUs, validUntilUs, compaction } = memory;
  if (text === '' || Buffer.byteLength(text) > MEMORY_LIMITS.textBytes / 2) return false;
  if (content && derivationOf(memory)?.kind !== 'merge') return false;
  return [place, step, expiresAtUs, validFromUs, validUntilUs, compaction].every((part) => part === undefined);
}

async function episodes(deps: PlanDeps, query: PlanQuery): Promise<Step[]> {
  if (query.scope.session === '') return [];
  const messages: Memory[] = [];
  for await (const memory of scan(deps, query, [MESSAGE_TYPE], [])) if (isMessage(memory)) messages.push(memory);
  const lastUs = messages.reduce((last, { eventAtUs, createdAtUs }) => Math.max(last, eventAtUs, createdAtUs), 0);
  if (messages.length === 0 || lastUs > query.nowUs - query.idleUs) return [];
  let coveredTo = -1;
  for await (const memory of scan(deps, query, [EPISODE_TYPE], [])) {
    coveredTo = Math.max(coveredTo, derivationOf(memory)?.lastSequence ?? -1);
  }
  return stretchesOf(messages, coveredTo).map((sources) => ({
    kind: 'episode',
    id: stretchId(sources[0]),
    sources,
  }));
}

async function* scan(
  { view }: PlanDeps,
  { namespace, scope, nowUs, signal }: PlanQuery,
  types: readonly string[],
  filters: readonly Filter[],
): AsyncGenerator<Memory> {
  const isOfType = compareIn('type', types);
  const filter: Filter = { kind: 'all', filters: [isOfType, ...exactScope(scope), ...filters] };
  let after: ListPosition | undefined;
  let scanned = 0;
  do {
    signal.throwIfAborted();
    const page: ListPage = await view.list({
      namespace,
      filter,
      order: 'create_time_asc',
      limit: PAGE,
      bytesMax: PAGE_BYTES,
      after,
      view: 'basic',
      nowUs,
    });
    yield* page.memories;
    scanned += page.memories.length;
    after = page.next;
  } while (after && scanned < SCANNED_MAX);
}

function compareIn(field: MemoryField, values: readonly string[]): Filter {
  return { kind: 'comparison', target: { kind: 'field', field }, operator: 'in', values, ignoreCase: false };
}

function exactScope(scope: Scope): Filter[] {
  const parts = [
    ['project', scope.project],
    ['agent_type', scope.agentType],
    ['agent', scope.agent],
    ['session', scope.session],
  ] as const;
  return parts.map(([field, value]): Filter => {
    if (value !== '') return compare(field, 'equals', value);
    return { kind: 'not', filter: isSet(field) };
  });
}

function isSet(field: MemoryField): Filter {
  return { kind: 'comparison', target: { kind: 'field', field }, operator: 'exists', values: [], ignoreCase: false };
}

/** Scopes of a namespace within a scope, in order of their parts. */
export async function* scopesWithin(
  { view }: PlanDeps,
  namespace: string,
  isAsked: (scope: Scope) => boolean,
): AsyncGenerator<Scope> {
  let after: Scope | undefined;
  for (;;) {
    const page = await view.listScopes({ namespace, limit: PAGE, after });
    for (const { scope } of page) if (isAsked(scope)) yield scope;
    after = page.at(-1)?.scope;
    if (page.length < PAGE) return;
  }
}
