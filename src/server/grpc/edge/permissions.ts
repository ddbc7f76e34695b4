import { invalidFields, MnemeError } from '../../../memory/errors.ts';
import type { Scope } from '../../../memory/memory.ts';
import { accessOf, hasWholeServer, type Principal, type Verb } from '../../../memory/principal.ts';
import { isWithin, SCOPE_PARTS } from '../../../memory/scope.ts';
import type { Caller } from '../../operations/visibility/visibility.ts';
import type { AccessRules } from './edge.ts';
import { leadingNamespaceIn } from './request-checks.ts';

/**
 * What each method needs: a verb, and the fields of the request that name resources of namespaces; nothing for methods
 * that every caller may use. A test compares the table with the descriptors.
 *
 * `~` after the verb: grants for some scopes suffice, since the operation reads and writes only what the caller sees.
 * `?` after a field: empty, it means all namespaces, and the grant has to be for the whole server. `+`: only the first
 * message of a stream has to have it. `server` in place of fields: the method is about the server as a whole.
 */
export const METHODS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  MemoryService: {
    StoreMemory: 'write~ parent memory.name',
    BatchStoreMemories: 'write~ parent requests.parent requests.memory.name',
    GetMemory: 'read~ name',
    BatchGetMemories: 'read~ parent names',
    UpdateMemory: 'write~ memory.name',
    SetMemoryImportance: 'write~ name',
    DeleteMemory: 'delete~ name',
    SupersedeMemory: 'write~ name memory.name',
    ForgetMemories: 'delete~ parent',
    ListMemories: 'read~ parent',
    CountMemories: 'read~ parent',
    ListMemoryRevisions: 'read~ name',
    GetAttributeHistory: 'read~ parent',
    GetStatesAtSteps: 'read~ parent',
    GetMemorySequence: 'read~ name',
    ExportMemories: 'read~ parent',
    ImportMemories: 'write~ parent+',
    DemoteMemories: 'write~ parent names',
    PromoteMemories: 'write~ parent names',
  },
  RecallService: {
    Recall: 'read~ parent similar_to example.name',
    RecallStream: 'read~ query.parent query.similar_to query.example.name',
    ListRecallPresets: '',
    WatchMemories: 'read~ parent',
    SubscribeRecall: 'read~ query.parent query.similar_to query.example.name',
  },
  ContextService: { BuildContext: 'read~ parent' },
  IngestService: { IngestMemories: 'write~ start.parent batch.items.memory.name' },
  ConversationService: {
    AppendMessages: 'write~ conversation',
    ListMessages: 'read~ conversation',
    PopMessage: 'delete~ conversation',
    ReplaceSuffix: 'delete~ conversation',
    ClearMessages: 'delete~ conversation',
    Flush: 'write parent',
    GetExtractionStatus: 'read parent',
    WatchExtraction: 'read parent',
    RetryExtraction: 'write parent',
    ServeExtractor: 'admin start.parent',
  },
  KnowledgeService: {
    AssertFact: 'write~ parent fact.name',
    GetFact: 'read~ name',
    ListFacts: 'read~ parent',
    ListFactHistory: 'read~ parent',
    UndoSupersession: 'write~ name',
    ForgetFacts: 'delete~ parent names',
    RecordEpisode: 'write~ parent',
    RecordProcedure: 'write~ parent procedure.name',
    FindProcedures: 'read~ parent',
    RecordOutcome: 'write~ name',
    Reflect: 'read~ parent',
  },
  ConsolidationService: {
    Consolidate: 'delete parent',
    UndoConsolidation: 'delete report',
  },
  WorkingMemoryService: {
    SetValue: 'write~ session',
    GetValue: 'read~ session',
    BatchGetValues: 'read~ session',
    DeleteValue: 'delete~ session',
    HasValue: 'read~ session',
    ListKeys: 'read~ session',
    GetAllValues: 'read~ session',
    ClearWorkingMemory: 'delete~ session',
    TransactValues: 'delete~ session',
    SetTaskState: 'write~ session',
    GetTaskState: 'read~ session',
    UpdateTaskProgress: 'write~ session',
    AppendScratchpad: 'write~ session',
    ListScratchpad: 'read~ session',
    ClearScratchpad: 'delete~ session',
    CreateCheckpoint: 'write~ session',
    RestoreCheckpoint: 'delete~ session',
    ListCheckpoints: 'read~ session',
    GetCheckpoint: 'read~ session',
    KeepCheckpoint: 'write~ session',
    DeleteCheckpoint: 'delete~ session',
    ForkCheckpoint: 'write session target_session',
    DiffCheckpoints: 'read~ session to_session',
    GetWorkingMemoryStatistics: 'read~ session',
    WatchSession: 'read~ session',
  },
  LifecycleService: {
    SpawnSession: 'write~ parent',
    PauseSession: 'write~ session',
    ResumeSession: 'write~ session',
    TerminateSession: 'write~ session',
    DeleteSession: 'delete~ session',
    GetSession: 'read~ session',
    ListSessions: 'read~ parent',
    WatchLifecycleEvents: 'read~ parent',
    AcknowledgeLifecycleEvents: 'write parent',
    ServeHook: 'admin registration.parent',
  },
  AgentService: {
    CreateAgentSnapshot: 'write parent',
    ListAgentSnapshots: 'read parent',
    DeleteAgentSnapshot: 'delete parent',
    DiffAgentSnapshots: 'read parent',
    RestoreAgentSnapshot: 'delete parent',
    ForkAgentSnapshot: 'write parent',
  },
  SubscriptionService: {
    CreateSubscription: 'write~ parent subscription.name',
    GetSubscription: 'read~ name',
    ListSubscriptions: 'read~ parent',
    DeleteSubscription: 'delete~ name',
    ConsumeSubscription: 'read~ start.name',
  },
  NamespaceService: {
    CreateNamespace: 'admin namespace.name',
    GetNamespace: 'read~ name',
    ListNamespaces: '',
    UpdateNamespace: 'admin namespace.name',
    DeleteNamespace: 'admin name',
    ListScopes: 'read~ parent',
    GetNamespaceStatistics: 'read name',
  },
  ScopeService: {
    SetScopePolicy: 'admin parent',
    ListScopePolicies: 'read parent',
  },
  AdminService: {
    GetServerInfo: '',
    GetServerStatistics: 'admin server',
    ReembedMemories: 'admin parent?',
    GetReembedProgress: 'admin parent?',
    MaintainTiers: 'admin parent?',
    ClearTier: 'admin parent',
    ClearRecallCache: 'admin parent?',
    GetConfig: 'admin server',
    UpdateConfig: 'admin server',
  },
};

interface Rule {
  readonly verb: Verb;
  /** Whether grants for some scopes suffice. */
  readonly isScoped: boolean;
  readonly isServerWide: boolean;
  /** Whether every request has to name a namespace; messages of a stream do so once. */
  readonly isNaming: boolean;
  readonly fields: readonly Field[];
}

export interface Field {
  readonly name: string;
  readonly path: readonly string[];
  readonly isOptional: boolean;
}

const RULES: ReadonlyMap<string, Rule | undefined> = new Map(
  Object.entries(METHODS).flatMap(([service, methods]) =>
    Object.entries(methods).map(([method, text]) => [`mneme.v1.${service}/${method}`, ruleOf(text)] as const),
  ),
);

function ruleOf(text: string): Rule | undefined {
  const [verb = '', ...names] = text.split(' ');
  if (verb === '') return undefined;
  const isServerWide = names.includes('server');
  return {
    verb: verb.replace('~', '') as Verb,
    isScoped: verb.endsWith('~'),
    isServerWide,
    isNaming: !isServerWide && !names.some((name) => /[?+]$|^(?:start|registration)\./.test(name)),
    fields: names.map((name) => ({
      name: name.replace(/[?+]$/, ''),
      path: name.replace(/[?+]$/, '').split('.').map(camelCase),
      isOptional: name.endsWith('?'),
    })),
  };
}

/** Fields that name what requests of a method are about. */
export function fieldsOf(method: string): readonly Field[] {
  return RULES.get(method)?.fields ?? [];
}

export function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The verb that a method needs; `undefined` for methods that every caller may use. */
export function verbOf(method: string): Verb | undefined {
  return RULES.get(method)?.verb;
}

/** Reads that move memories between tiers where they are asked to. */
const FOCUSING: ReadonlySet<string> = new Set([
  'mneme.v1.MemoryService/GetMemory',
  'mneme.v1.RecallService/Recall',
  'mneme.v1.RecallService/RecallStream',
]);

/**
 * Requests that need `read` besides the verb of their method, since their purpose is to read, or since their answers tell
 * whether stored contents are as the request says.
 */
const READING: Readonly<Record<string, (request: Readonly<Record<string, unknown>>) => boolean>> = {
  'mneme.v1.MemoryService/ForgetMemories': ({ filter, filterText, dryRun }) =>
    isSet(filter) || isSet(filterText) || isSet(dryRun),
  'mneme.v1.KnowledgeService/ForgetFacts': ({ subject, attribute, value, dryRun }) =>
    isSet(subject) || isSet(attribute) || isSet(value) || isSet(dryRun),
  'mneme.v1.ConsolidationService/Consolidate': ({ dryRun }) => isSet(dryRun),
  'mneme.v1.ConversationService/PopMessage': () => true,
  'mneme.v1.ConversationService/ServeExtractor': () => true,
  'mneme.v1.LifecycleService/ServeHook': () => true,
};

function isSet(value: unknown): boolean {
  return value !== undefined && value !== '' && value !== false;
}

/** A verb that a request needs in addition to that of its method. */
function furtherVerb(method: string, request: object): Verb | undefined {
  const fields = request as Readonly<Record<string, unknown>>;
  if (READING[method]?.(fields)) return 'read';
  const { focus, query, restoreMemories, checkpointId } = fields;
  if (FOCUSING.has(method)) {
    return focus === true || (query as { focus?: unknown } | undefined)?.focus === true ? 'write' : undefined;
  }
  // What was stored since the checkpoint, or since the pause, is deleted.
  const isRestore = restoreMemories === true || isSet(checkpointId);
  return method === 'mneme.v1.LifecycleService/ResumeSession' && isRestore ? 'delete' : undefined;
}

/** Compares the grants of callers with what methods need, before anything is looked up. */
export const permissions: AccessRules = {
  /**
   * Fails with PERMISSION_MISSING. Returns the scopes that the caller is limited to, by namespace; `undefined`: none are.
   * A stream's later messages name no namespace: its first one decides.
   */
  check(method, request, principal, from) {
    if (principal.grants === 'all') return undefined;
    if (!RULES.has(method)) throw missing(principal, 'admin');
    const rule = RULES.get(method);
    if (!rule) return undefined;
    const namespaces = rule.isServerWide ? [] : namespacesIn(request, rule.fields);
    if (namespaces.length === 0 && rule.isNaming) throw nameless(rule.fields[0]?.name ?? '');
    const isAboutAll = rule.isServerWide || (namespaces.length === 0 && rule.fields.some((field) => field.isOptional));
    if (isAboutAll && !hasWholeServer(principal, rule.verb)) throw missing(principal, rule.verb);
    const further = furtherVerb(method, request);
    const rules = further ? [rule, { ...rule, verb: further }] : [rule];
    const limits = new Map<string, readonly Scope[]>();
    for (const namespace of namespaces) {
      for (const each of rules) {
        const scopes = scopesIn(principal, namespace, each, from);
        if (!scopes) continue;
        const common = within(limits.get(namespace), scopes);
        if (common.length === 0) throw missing(principal, each.verb, namespace);
        limits.set(namespace, common);
      }
    }
    return limits.size > 0 ? limits : undefined;
  },

  coversAnswer(method, request, principal, limits) {
    if (principal.grants === 'all') return true;
    return namespacesIn(request, RULES.get(method)?.fields ?? []).every((namespace) => {
      const readable = accessOf(principal, namespace, 'read');
      if (readable === undefined || readable === 'whole') return readable !== undefined;
      const limitedTo = limits?.get(namespace) ?? [];
      return limitedTo.length > 0 && limitedTo.every((one) => readable.some((scope) => isWithin(one, scope)));
    });
  },
};

/** What lies within one of these scopes and within one of the others. */
function within(former: readonly Scope[] | undefined, scopes: readonly Scope[]): readonly Scope[] {
  if (!former) return scopes;
  return former.flatMap((one) => scopes.flatMap((other) => commonPartOf(one, other) ?? []));
}

function commonPartOf(one: Scope, other: Scope): Scope | undefined {
  if (SCOPE_PARTS.some((part) => one[part] !== '' && other[part] !== '' && one[part] !== other[part])) return undefined;
  const { project, agentType, agent, session } = one;
  return {
    project: project || other.project,
    agentType: agentType || other.agentType,
    agent: agent || other.agent,
    session: session || other.session,
  };
}

/** The scopes that the caller is limited to; `undefined`: none. Fails where nothing is granted to it. */
function scopesIn(
  principal: Principal,
  namespace: string,
  { verb, isScoped }: Rule,
  from: Caller | undefined,
): readonly Scope[] | undefined {
  const access = accessOf(principal, namespace, verb);
  if (access === undefined) throw missing(principal, verb, namespace);
  // A caller that policies hide nothing from needs to be one that may set the policies.
  const isTooWide = from === 'everything' && accessOf(principal, namespace, 'admin') !== 'whole';
  if (isTooWide) throw missing(principal, 'admin', namespace);
  if (access === 'whole') return undefined;
  const scopes = from === undefined || from === 'everything' ? access : access.filter((scope) => isWithin(from, scope));
  if (!isScoped || scopes.length === 0) throw missing(principal, verb, namespace);
  return scopes;
}

/** The same whether the namespace exists or not: the name is the one in the request. */
function missing({ identity }: Principal, verb: Verb, namespace?: string): MnemeError {
  const metadata: Record<string, string> = { identity, verb };
  if (namespace !== undefined) metadata.name = `namespaces/${namespace}`;
  const where = namespace === undefined ? 'on the server as a whole' : `in namespaces/${namespace}`;
  return new MnemeError('PERMISSION_MISSING', `no grant allows ${identity} to ${verb} ${where}`, { metadata });
}

/** Namespaces that the fields name. Fails with FIELD_INVALID where one names no namespace. */
function namespacesIn(request: object, fields: readonly Field[]): string[] {
  const found = new Set<string>();
  for (const field of fields) {
    for (const value of valuesAt(request, field.path)) {
      if (value === '') continue;
      const namespace = leadingNamespaceIn(value);
      if (namespace === undefined) throw nameless(field.name);
      found.add(namespace);
    }
  }
  return [...found];
}

function nameless(field: string): MnemeError {
  return invalidFields([{ field, description: 'must begin with namespaces/{namespace}' }]);
}

/** The texts at a path of fields, through lists and alternatives. */
function valuesAt(value: unknown, path: readonly string[]): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => valuesAt(each, path));
  if (typeof value === 'string') return path.length === 0 ? [value] : [];
  const [name, ...rest] = path;
  if (typeof value !== 'object' || value === null || name === undefined) return [];
  const fields: Record<string, unknown> = { ...value };
  if (name in fields) return valuesAt(fields[name], rest);
  for (const alternative of Object.values(fields)) {
    if (isAlternative(alternative) && alternative.$case === name) return valuesAt(alternative.value, rest);
  }
  return [];
}

/** Of a oneof. */
export function isAlternative(value: unknown): value is { readonly $case: string; readonly value: unknown } {
  return typeof value === 'object' && value !== null && '$case' in value;
}
