import type { Call } from '../../../memory/call.ts';
import type { Clock } from '../../../memory/clock.ts';
import { type FieldViolation, invalidFields, isNamespaceMissing, MnemeError } from '../../../memory/errors.ts';
import { TIERS, type Tier, UPPER_TIERS } from '../../../memory/memory.ts';
import { accessOf, type Principal, type Verb } from '../../../memory/principal.ts';
import type { ScopePolicy } from '../../../memory/scope.ts';
import { namespaceHoldsSessions } from '../../../memory/session.ts';
import { CACHE_SETTINGS } from '../../../memory/setting-kinds.ts';
import type { TierPolicy } from '../../../memory/tier-policy.ts';
import { changed, type SettingChange, settingViolations, tierPolicyOf } from '../../../memory/tier-settings.ts';
import type { DeleteOutcome, NamespaceOutcome, Records } from '../../../storage/records.ts';
import type { ScopePolicies } from '../../../storage/scope-policies.ts';
import type { SessionStore } from '../../../storage/session-store.ts';
import type { TierTotal } from '../../../storage/tiers.ts';
import type { View } from '../../../storage/view.ts';
import { expectedRevision, type MemoryDeps, onceFor } from '../memories/operation-deps.ts';
import type { VisibilityRules } from '../visibility/visibility.ts';
import { checkDeletable, checkReplaceable } from './protected-scopes.ts';

type NamespaceDeps = Pick<MemoryDeps, 'store' | 'view' | 'clock'>;

export interface NamespaceDraft {
  readonly name: string;
  readonly description: string;
  /** 0: none. */
  readonly memoryLimit: number;
  readonly settings: readonly SettingChange[];
}

export interface NamespaceChange extends Partial<NamespaceDraft> {
  readonly name: string;
  readonly ifVersion?: number;
  /** Accepts limits below the current contents of the tiers. */
  readonly allowDemotion: boolean;
}

/** Fails with FIELD_INVALID on settings that are wrong. */
export async function createNamespace(
  deps: NamespaceDeps,
  draft: NamespaceDraft,
  call: Call,
): Promise<NamespaceOutcome> {
  const { store, clock } = deps;
  await checkSettings(deps, { name: draft.name, settings: draft.settings, allowDemotion: true });
  return store.write({ kind: 'createNamespace', ...draft, atUs: clock.nowUs(), ...onceFor(call) });
}

/** Changes the fields that are set; `ifVersion` must be the namespace's version. All settings are validated first. */
export async function updateNamespace(
  deps: NamespaceDeps,
  { ifVersion, allowDemotion, ...changes }: NamespaceChange,
  call: Call,
): Promise<NamespaceOutcome> {
  const { store, clock } = deps;
  const { name, settings } = changes;
  const earlier = call.idempotency && (await store.outcomeOf(name, call.idempotency));
  if (earlier) return earlier as NamespaceOutcome;
  // Another server may have made it in the store that both share: from now on it is here as well.
  await store.getNamespace(name);
  if (settings) await checkSettings(deps, { name, settings, allowDemotion });
  return store.write({
    kind: 'updateNamespace',
    ...changes,
    atUs: clock.nowUs(),
    ...expectedRevision(ifVersion),
    ...onceFor(call),
  });
}

export interface DeletionDeps extends NamespaceDeps {
  readonly policies: ScopePolicies;
  readonly visibilityRules: VisibilityRules;
  readonly sessions?: SessionStore;
}

/**
 * With `force` the namespace's memories are erased with it, and its sessions. Fails with SCOPE_PRIVATE,
 * SCOPE_READ_ONLY where a policy protects a part of it.
 */
export async function deleteNamespace(
  { store, view, clock, policies, visibilityRules, sessions }: DeletionDeps,
  request: { readonly name: string; readonly force: boolean },
  call: Call,
): Promise<DeleteOutcome> {
  const isRepeated = call.idempotency !== undefined && (await store.outcomeOf(request.name, call.idempotency));
  if (!isRepeated) await checkDeletable({ view, policies, visibilityRules }, request.name, clock.nowUs());
  // Sessions in the memories' store are deleted with them; in another store they are deleted first, so that a crash
  // leaves none.
  const apart = sessions && !sessions.storesEpisodes ? { store, sessions } : undefined;
  if (apart) await eraseSessions(apart, request, call);
  const outcome = await store.write({ kind: 'deleteNamespace', ...request, atUs: clock.nowUs(), ...onceFor(call) });
  if (apart) await eraseLateSessions(apart, request.name);
  return outcome;
}

interface Apart {
  readonly store: MemoryDeps['store'];
  readonly sessions: SessionStore;
}

async function eraseSessions(
  { store, sessions }: Apart,
  { name, force }: { readonly name: string; readonly force: boolean },
  { idempotency }: Call,
): Promise<void> {
  if (idempotency && (await store.outcomeOf(name, idempotency))) return;
  if (force) {
    await store.getNamespace(name);
    await sessions.eraseNamespace(name);
  } else if ((await sessions.sessions({ namespace: name, limit: 1 })).length > 0) {
    throw namespaceHoldsSessions(name);
  }
}

const LATE_MAX = 1000;

/**
 * Sessions that were made while their namespace was deleted: it is missing now, or a later one has its name. None is
 * made for it from the fence on.
 */
async function eraseLateSessions({ store, sessions }: Apart, namespace: string): Promise<void> {
  await sessions.fenceNamespace(namespace);
  const left = await sessions.sessions({ namespace, limit: LATE_MAX });
  if (left.length === 0) return;
  const beganAtUs = await store.getNamespace(namespace).then(
    ({ createdAtUs }) => createdAtUs,
    (error: unknown) => {
      if (!isNamespaceMissing(error)) throw error;
      return Number.POSITIVE_INFINITY;
    },
  );
  for (const { id, createdAtUs } of left) {
    if (createdAtUs < beganAtUs) await sessions.eraseSession({ namespace, session: id });
  }
}

/** Where a request has the settings of a namespace. */
const FIELD = 'namespace.settings';

/**
 * Fails with FIELD_INVALID, naming every invalid setting, before anything is changed. New limits must not be below the
 * current contents of the tiers, unless `allowDemotion`.
 */
export async function checkSettings(
  { store, view }: Pick<MemoryDeps, 'store' | 'view'>,
  { name, settings, allowDemotion }: { name: string; settings: readonly SettingChange[]; allowDemotion: boolean },
): Promise<void> {
  if (settings.length === 0) return;
  const layers = { server: await store.tierSettings(''), own: await store.tierSettings(name) };
  const violations = settingViolations(settings, layers, FIELD);
  for (const [key] of settings) {
    if (!Object.hasOwn(CACHE_SETTINGS, key)) continue;
    violations.push({
      field: `${FIELD}[${key}]`,
      description: 'is of the server: set it with AdminService.UpdateConfig',
    });
  }
  if (violations.length === 0 && !allowDemotion) {
    const before = tierPolicyOf(layers.server, layers.own);
    const after = tierPolicyOf(layers.server, changed(layers.own, settings));
    violations.push(...limitViolations(settings, { before, after }, await view.totals(name), FIELD));
  }
  if (violations.length > 0) throw invalidFields(violations);
}

interface Limit {
  readonly key: string;
  /** 0: none. */
  readonly limit: number;
  readonly holds: number;
  readonly what: string;
}

/**
 * Limits that would be below the current contents of tiers, whether set or reset to an inherited value, each with the
 * current number.
 */
export function limitViolations(
  settings: readonly SettingChange[],
  { before, after }: { readonly before: TierPolicy; readonly after: TierPolicy },
  totals: readonly TierTotal[],
  field: string,
  where = '',
): FieldViolation[] {
  const values = new Map(settings);
  const former = new Map(limitsOf(before, totals).map(({ key, limit }) => [key, limit]));
  const isLess = ({ key, limit }: Limit): boolean => limit < (former.get(key) || Number.POSITIVE_INFINITY);
  return limitsOf(after, totals)
    .filter(({ key, limit, holds }) => values.has(key) && limit > 0 && limit < holds)
    .filter((one) => values.get(one.key) !== null || isLess(one))
    .map(({ key, limit, holds, what }) => {
      const least = `must be at least the current ${holds} ${what}${where}`;
      const description =
        values.get(key) === null
          ? `${least}, but would fall to ${limit} when reset; set it, or allow_demotion to move memories above it down`
          : `${least}, or allow_demotion be set to move the rest down`;
      return { field: `${field}[${key}]`, description };
    });
}

/** Every limit of the upper tiers, with its current usage. */
export function limitsOf({ rules, types }: TierPolicy, totals: readonly TierTotal[]): Limit[] {
  const held = (tier: string, part: 'count' | 'contentBytes', type?: string) =>
    totals
      .filter((total) => total.tier === tier && (type === undefined || total.type === type))
      .reduce((sum, total) => sum + total[part], 0);
  return [
    ...UPPER_TIERS.flatMap((tier) => [
      { key: `${tier}.memory_limit`, limit: rules[tier].memoryLimit, holds: held(tier, 'count'), what: 'memories' },
      { key: `${tier}.bytes_limit`, limit: rules[tier].bytesLimit, holds: held(tier, 'contentBytes'), what: 'bytes' },
    ]),
    ...types.map(({ type, tier, memoryLimit }) => {
      const key = `type.${type}.${tier}.memory_limit`;
      return { key, limit: memoryLimit, holds: held(tier, 'count', type), what: 'memories' };
    }),
  ];
}

export type MakeNamespaceDeps = Pick<MemoryDeps, 'store' | 'clock' | 'autoCreateNamespaces'>;

/**
 * Creates a missing namespace, as a first Store does. Fails with NAMESPACE_NOT_FOUND where namespaces are not created
 * automatically.
 */
export async function ensureNamespace(deps: MakeNamespaceDeps, name: string): Promise<void> {
  try {
    await deps.store.getNamespace(name);
  } catch (error) {
    if (!isMakeable(deps, error)) throw error;
    await makeNamespace(deps, name);
  }
}

/** Whether an error reports a missing namespace that may be created. */
export function isMakeable({ autoCreateNamespaces }: MakeNamespaceDeps, error: unknown): boolean {
  return autoCreateNamespaces && isNamespaceMissing(error);
}

/** Another call may make it at the same time. */
export async function makeNamespace({ store, clock }: MakeNamespaceDeps, name: string): Promise<void> {
  try {
    await store.write({ kind: 'createNamespace', name, description: '', memoryLimit: 0, atUs: clock.nowUs() });
  } catch (error) {
    if (!(error instanceof MnemeError && error.reason === 'NAMESPACE_EXISTS')) throw error;
  }
}

const NAMES_AT_ONCE = 500;

/** A page of the namespaces in which a principal may use a verb. */
export async function accessibleNamespaces(
  store: Pick<Records, 'listNamespaces'>,
  { limit, ...from }: Parameters<Records['listNamespaces']>[0],
  principal: Principal,
  verb: Verb = 'read',
): ReturnType<Records['listNamespaces']> {
  if (principal.grants === 'all') return store.listNamespaces({ limit, ...from });
  const found: Awaited<ReturnType<Records['listNamespaces']>> = [];
  let { afterName } = from;
  for (;;) {
    const page = await store.listNamespaces({
      limit: NAMES_AT_ONCE,
      afterName,
    });
    found.push(...page.filter(({ name }) => accessOf(principal, name, verb) !== undefined));
    afterName = page.at(-1)?.name;
    if (found.length >= limit || page.length < NAMES_AT_ONCE) return found.slice(0, limit);
  }
}

/**
 * Names of all namespaces in order, read page by page: a namespace created or deleted in the meantime may or may not be
 * included.
 */
export async function* namespaceNames(store: Pick<Records, 'listNamespaces'>): AsyncGenerator<string> {
  let afterName = '';
  for (;;) {
    const page = await store.listNamespaces({ limit: NAMES_AT_ONCE, afterName });
    for (const { name } of page) yield name;
    if (page.length < NAMES_AT_ONCE) return;
    afterName = page.at(-1)?.name ?? '';
  }
}

/** Statistics of an agent from totals that every write updates: no memory is read. */
export interface AgentStatistics {
  readonly agent: string;
  readonly memoryCount: number;
  readonly contentBytes: number;
  /** Most first. */
  readonly types: readonly { readonly type: string; readonly count: number }[];
  readonly tiers: readonly { readonly tier: Tier; readonly count: number; readonly contentBytes: number }[];
}

const TYPES_MAX = 100;

/** Statistics of an agent in a namespace, or in all of them. Fails with NAMESPACE_NOT_FOUND. */
export async function agentStatistics(
  { view }: { readonly view: Pick<View, 'totals'> },
  agent: string,
  namespace?: string,
): Promise<AgentStatistics> {
  const totals = (await view.totals(namespace)).filter((total) => total.agent === agent);
  const types = [...Map.groupBy(totals, ({ type }) => type)]
    .map(([type, ofType]) => ({ type, count: sum(ofType, 'count') }))
    .sort((a, b) => b.count - a.count || (a.type < b.type ? -1 : 1))
    .slice(0, TYPES_MAX);
  const tiers = TIERS.map((tier) => {
    const ofTier = totals.filter((total) => total.tier === tier);
    return { tier, count: sum(ofTier, 'count'), contentBytes: sum(ofTier, 'contentBytes') };
  }).filter(({ count }) => count > 0);
  return { agent, memoryCount: sum(totals, 'count'), contentBytes: sum(totals, 'contentBytes'), types, tiers };
}

function sum(totals: readonly TierTotal[], part: 'count' | 'contentBytes'): number {
  return totals.reduce((total, one) => total + one[part], 0);
}

export interface PolicyDeps {
  readonly store: Records;
  readonly policies: ScopePolicies;
  readonly clock: Clock;
}

export async function setScopePolicy(
  { policies, clock }: PolicyDeps,
  write: { namespace: string; policy: ScopePolicy },
  call: Call,
): Promise<ScopePolicy> {
  checkReplaceable(await policies.list(write.namespace), write.policy);
  return policies.set({ ...write, atUs: clock.nowUs(), ...onceFor(call) });
}

export async function listScopePolicies(
  { store, policies }: PolicyDeps,
  namespace: string,
): Promise<readonly ScopePolicy[]> {
  await store.getNamespace(namespace);
  return policies.list(namespace);
}
