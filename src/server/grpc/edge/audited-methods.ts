import type { AuditedOperation, AuditSink } from '../../../memory/audit-record.ts';
import { MnemeError } from '../../../memory/errors.ts';
import type { Principal } from '../../../memory/principal.ts';
import { leadingNamespaceIn } from './request-checks.ts';

/** Methods that delete, change much at once, or change what the server does, by service. */
const BY_SERVICE: Readonly<Record<string, readonly string[]>> = {
  AdminService: ['ReembedMemories', 'MaintainTiers', 'ClearTier', 'ClearRecallCache', 'UpdateConfig'],
  AgentService: ['DeleteAgentSnapshot', 'RestoreAgentSnapshot'],
  ConsolidationService: ['Consolidate', 'UndoConsolidation'],
  ConversationService: ['PopMessage', 'ReplaceSuffix', 'ClearMessages'],
  KnowledgeService: ['ForgetFacts'],
  LifecycleService: ['DeleteSession'],
  MemoryService: ['DeleteMemory', 'ForgetMemories', 'DemoteMemories', 'PromoteMemories'],
  NamespaceService: ['CreateNamespace', 'UpdateNamespace', 'DeleteNamespace'],
  ScopeService: ['SetScopePolicy'],
  SubscriptionService: ['CreateSubscription', 'DeleteSubscription', 'RotateWebhookSecret', 'ResumeWebhook'],
};

/** Paths of these methods, `/package.Service/Method`. */
export const AUDITED_METHODS: ReadonlySet<string> = new Set(
  Object.entries(BY_SERVICE).flatMap(([service, methods]) => methods.map((method) => `/mneme.v1.${service}/${method}`)),
);

/** Whether a request is recorded: one that puts memories back as they were deletes those stored since. */
export function isAudited(path: string, request: object): boolean {
  if (AUDITED_METHODS.has(path)) return true;
  const { restoreMemories } = request as { readonly restoreMemories?: unknown };
  return path === '/mneme.v1.LifecycleService/ResumeSession' && restoreMemories === true;
}

/** The part of a call that records have. */
interface AuditedCall {
  readonly callId: string;
  readonly principal: Principal;
  /** `package.Service/Method`. */
  readonly method: string;
}

/** Verbs whose lack is recorded whatever the method is: deletions of values of working memory, and headers that need `admin`. */
const AUDITED_VERBS: ReadonlySet<string | undefined> = new Set(['delete', 'admin']);

/** Records a call that a lack of permission has ended, where it was for an administrative or destructive operation. */
export function auditRefusal(sink: AuditSink, error: unknown, request: object, call: AuditedCall): void {
  if (!(error instanceof MnemeError) || error.reason !== 'PERMISSION_MISSING') return;
  if (!AUDITED_VERBS.has(error.metadata['verb']) && !isAudited(`/${call.method}`, request)) return;
  sink.refused(operationOf(request, call), error.reason);
}

/** Names of an operation that are recorded. */
const NAMES_MAX = 20;
/** As long as the longest name of a memory is. */
const NAME_CHARACTERS_MAX = 256;

/** A text of a caller as a record has it: any length and any characters can come before a request is checked. */
function recorded(text: string): string {
  return text
    .slice(0, NAME_CHARACTERS_MAX)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '\ufffd')
    .toWellFormed();
}

/** Runs an operation between two records: it has no effect without the first, and no answer without the second. */
export async function audited<A>(
  sink: AuditSink,
  request: object,
  served: AuditedCall,
  work: () => A | Promise<A>,
): Promise<A> {
  await sink.begin(operationOf(request, served));
  const call = served.callId;
  let answer: A;
  try {
    answer = await work();
  } catch (error) {
    await sink.end({ call, outcome: error instanceof MnemeError ? error.reason : 'INTERNAL' });
    throw error;
  }
  const count = countOf(answer);
  await sink.end({ call, outcome: 'OK', count });
  return answer;
}

/** Fields of requests that name a namespace, or something in it. */
const NAMING_FIELDS = ['parent', 'name', 'conversation', 'session', 'report'];
/** Fields that name what an operation is about within its parent. */
const ID_FIELDS = ['snapshotId', 'subscriptionId'];

function operationOf(request: object, served: AuditedCall): AuditedOperation {
  const fields = request as Readonly<Record<string, unknown>>;
  const own = (fields['namespace'] ?? {}) as Readonly<Record<string, unknown>>;
  const listed: readonly unknown[] = Array.isArray(fields['names']) ? fields['names'] : [];
  const named = [...NAMING_FIELDS.map((field) => fields[field]), own['name'], ...listed].filter(isText);
  const names = [...NAMING_FIELDS.slice(1).map((field) => fields[field]), own['name'], ...listed]
    .concat(ID_FIELDS.map((field) => fields[field]))
    .filter(isText);
  return {
    call: served.callId,
    identity: served.principal.identity,
    method: served.method,
    namespace: named.map(leadingNamespaceIn).find((name) => name !== undefined) ?? '',
    names: names.slice(0, NAMES_MAX).map(recorded),
    request: isText(fields['requestId']) ? recorded(fields['requestId']) : '',
    ...(fields['dryRun'] === true && { dryRun: true }),
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Fields of answers that say how many objects an operation has changed or deleted. */
const COUNT_FIELDS = ['forgottenCount', 'clearedCount', 'replacedCount', 'erasedCount', 'movedCount'];
const LIST_FIELDS = ['moves', 'memories', 'deleted'];

function countOf(answer: unknown): number | undefined {
  const fields = (answer ?? {}) as Readonly<Record<string, unknown>>;
  const count = COUNT_FIELDS.map((field) => fields[field]).find((value) => value !== undefined);
  if (count !== undefined) return Number(count);
  const list = LIST_FIELDS.map((field) => fields[field]).find((value) => Array.isArray(value));
  return list === undefined ? undefined : (list as readonly unknown[]).length;
}
