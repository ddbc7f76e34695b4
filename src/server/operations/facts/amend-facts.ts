import type { Call } from '../../../memory/call.ts';
import { MnemeError, memoryNotFound } from '../../../memory/errors.ts';
import { undoSupersession } from '../../../memory/facts/amend.ts';
import {
  digestOf,
  type FactKey,
  isSingleValued,
  normalAttribute,
  normalValue,
} from '../../../memory/facts/fact-key.ts';
import { ERASED_SCHEMA, factOf } from '../../../memory/facts/fact-record.ts';
import type { Filter } from '../../../memory/filter.ts';
import { scopedFilter } from '../../../memory/filter.ts';
import type { Scope } from '../../../memory/memory.ts';
import type { ListPage, WriteOutcome } from '../../../storage/records.ts';
import { withVisibility } from '../visibility/visibility.ts';
import { changeKeys, type Edit, type Timelines } from './change-keys.ts';
import type { FactDeps } from './fact-deps.ts';
import { content, isFactFilter } from './fact-filters.ts';
import { getFact, subjectsOf } from './read-facts.ts';
import { deleteErased, forgotten } from './reconcile-facts.ts';

export interface UndoneFact {
  /** Of the fact that is withdrawn for it. */
  readonly withdrawnId?: string;
  /** Of the first write, however often the call is repeated. */
  readonly revision: number;
}

/** Restores a superseded or retracted fact. */
export async function undoFact(deps: FactDeps, namespace: string, id: string, call: Call): Promise<UndoneFact> {
  const earlier = call.idempotency && (await deps.store.outcomeOf(namespace, call.idempotency));
  const { fact, timeline } = await getFact(deps, namespace, id, call);
  if (earlier) {
    const withdrawn = timeline.entries.findLast(({ withdrawnFor }) => withdrawnFor === id);
    const { revision } = earlier as WriteOutcome;
    return { revision, withdrawnId: withdrawn?.id };
  }
  const edit = (timelines: Timelines, atUs: number): Edit<{ readonly withdrawnId?: string }> => {
    const undone = undoSupersession(timelines.of(fact.key), id, isSingleValued(fact.key.attribute), atUs);
    if (!undone) throw notSuperseded(namespace, id);
    timelines.set(fact.key, undone.timeline);
    const { withdrawnId } = undone;
    return { facts: new Map(), result: withdrawnId === undefined ? {} : { withdrawnId } };
  };
  const { result, outcome } = await changeKeys(deps, namespace, [fact.key], edit, call);
  return { ...result, revision: outcome?.revision ?? deps.store.revision };
}

function notSuperseded(namespace: string, id: string): MnemeError {
  const name = `namespaces/${namespace}/memories/${id}`;
  return new MnemeError(
    'FACT_NOT_SUPERSEDED',
    `${name} is neither superseded nor retracted: there is nothing to undo`,
    {
      metadata: { name },
    },
  );
}

export interface ForgetFactsRequest {
  readonly namespace: string;
  /** Facts by their ids; empty: by the following conditions. */
  readonly ids: readonly string[];
  readonly scope?: Scope;
  readonly subject?: string;
  readonly attribute?: string;
  readonly value?: string;
  /** Only counts. */
  readonly dryRun: boolean;
}

export interface ForgottenFacts {
  readonly count: number;
  /** The first thousand. */
  readonly ids: readonly string[];
}

const BATCH = 100;
const IDS_MAX = 1000;

/**
 * Forgets facts with their history permanently. Only an explicit assertion restores their values. Up to a batch of 100
 * it is atomic; beyond, an interrupted call has forgotten some, and continues when it is repeated.
 */
export async function forgetFacts(deps: FactDeps, request: ForgetFactsRequest, call: Call): Promise<ForgottenFacts> {
  const { namespace, dryRun } = request;
  const { idempotency: _, ...plainCall } = call;
  const ids: string[] = [];
  let count = 0;
  for await (const batch of batches(deps, request, call)) {
    if (!dryRun) await forgetBatch(deps, namespace, batch, plainCall);
    count += batch.length;
    ids.push(...batch.slice(0, IDS_MAX - ids.length).map(({ id }) => id));
  }
  if (!dryRun) await deleteLeftovers(deps, namespace);
  return { count, ids };
}

interface FactToForget {
  readonly id: string;
  readonly key: FactKey;
}

async function forgetBatch(
  deps: FactDeps,
  namespace: string,
  batch: readonly FactToForget[],
  call: Call,
): Promise<void> {
  const keys = batch.map(({ key }) => key);
  const ids = batch.map(({ id }) => id);
  const edit = (timelines: Timelines, atUs: number): Edit<undefined> => {
    for (const { id, key } of batch) timelines.set(key, forgotten(timelines.of(key), new Set([id]), key, atUs));
    return { facts: new Map(), erasedIds: ids, result: undefined };
  };
  await changeKeys(deps, namespace, keys, edit, call);
  await deleteErased(deps, namespace, ids);
}

/** Pages from the start each time where facts go, and one after the other where they are only counted. */
async function* batches(deps: FactDeps, request: ForgetFactsRequest, call: Call): AsyncGenerator<FactToForget[]> {
  const { namespace, ids, dryRun } = request;
  const nowUs = deps.clock.nowUs();
  if (ids.length > 0) {
    const found = await deps.seen.get({ namespace, ids, view: 'full', nowUs });
    yield found.map((memory, at) => {
      const fact = memory && factOf(memory);
      if (!fact) throw memoryNotFound(namespace, ids[at] ?? '');
      return fact;
    });
    return;
  }
  const filter = withVisibility(await filterOf(deps, request), await deps.visibilityRules.of(namespace));
  let after: ListPage['next'];
  do {
    call.signal.throwIfAborted();
    const page: ListPage = await deps.view.list({
      namespace,
      filter,
      order: 'create_time_asc',
      limit: BATCH,
      bytesMax: Number.MAX_SAFE_INTEGER,
      ...(after && dryRun ? { after } : {}),
      view: 'basic',
      nowUs,
    });
    const facts = page.memories.flatMap((memory) => factOf(memory) ?? []);
    yield facts.filter((fact) => isOfValue(fact.value, request.value));
    after = facts.length > 0 ? page.next : undefined;
  } while (after);
}

function isOfValue(value: string, wanted: string | undefined): boolean {
  return wanted === undefined || digestOf(normalValue(value)) === digestOf(normalValue(wanted));
}

async function filterOf(deps: FactDeps, request: ForgetFactsRequest): Promise<Filter> {
  const { scope, subject, attribute } = request;
  const filters: Filter[] = [isFactFilter()];
  if (subject !== undefined) {
    filters.push(content('subject_key', await subjectsOf(deps, request, subject, deps.clock.nowUs())));
  }
  if (attribute !== undefined) filters.push(content('attribute', [normalAttribute(attribute)]));
  const filter: Filter = { kind: 'all', filters };
  return scopedFilter({ filter, scope }) ?? filter;
}

/** Remains of an interrupted call, between forgetting facts and deleting their memories. */
async function deleteLeftovers(deps: FactDeps, namespace: string): Promise<void> {
  const erased = content('schema', [ERASED_SCHEMA]);
  const { memories } = await deps.view.list({
    namespace,
    filter: withVisibility(erased, await deps.visibilityRules.of(namespace)) ?? erased,
    order: 'create_time_asc',
    limit: IDS_MAX,
    bytesMax: Number.MAX_SAFE_INTEGER,
    view: 'metadata',
    nowUs: deps.clock.nowUs(),
  });
  await deleteErased(
    deps,
    namespace,
    memories.map(({ id }) => id),
  );
}
