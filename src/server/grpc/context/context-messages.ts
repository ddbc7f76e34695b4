import {
  type BuildContextRequest,
  type BuildContextResponse,
  type ContextKindLimit,
  ContextFormat as FormatNumber,
  ContextKind as KindNumber,
  ContextOmissionReason as OmissionNumber,
} from '../../../../gen/ts/mneme/v1/context_service.ts';
import {
  type ChatMessage,
  type ChatRole,
  CONTEXT_KINDS,
  type ContextFormat,
  type ContextKind,
} from '../../../memory/context/context.ts';
import { KIND_LIMITS, type KindLimit, type Omission, type OmissionReason } from '../../../memory/context/select.ts';
import { MEMORY_LIMITS } from '../../../memory/limits.ts';
import type { BuiltContext, ContextRequest } from '../../operations/context/build-context.ts';
import { instantOf, RequestChecks } from '../edge/request-checks.ts';
import { TRUST_NUMBERS } from '../knowledge/trust-numbers.ts';
import { scopeOf } from '../memories/memory-fields.ts';
import { timeZoneOf } from '../recall/recall-messages.ts';

const QUERY_BYTES_MAX = 1_048_576;
const MESSAGES_MAX = 100;
const MESSAGES_BYTES_MAX = 1_048_576;
const BUDGET_DEFAULT = 1500;
const BUDGET_MAX = 100_000;
const WINDOW_MAX = 10_000_000;
const SHARE_DEFAULT = 0.15;
const ENTRIES_MAX = 1000;
const OMITTED_MAX = 100;
const TOKENIZERS = ['o200k_base', 'cl100k_base', 'wordpiece'] as const;

const FORMATS: Readonly<Record<number, ContextFormat>> = {
  [FormatNumber.CONTEXT_FORMAT_UNSPECIFIED]: 'xml',
  [FormatNumber.CONTEXT_FORMAT_XML]: 'xml',
  [FormatNumber.CONTEXT_FORMAT_MARKDOWN]: 'markdown',
  [FormatNumber.CONTEXT_FORMAT_JSON_MESSAGES]: 'json_messages',
};

const KIND_NUMBERS: Readonly<Record<ContextKind, KindNumber>> = {
  working: KindNumber.CONTEXT_KIND_WORKING,
  fact: KindNumber.CONTEXT_KIND_FACT,
  procedure: KindNumber.CONTEXT_KIND_PROCEDURE,
  episode: KindNumber.CONTEXT_KIND_EPISODE,
  message: KindNumber.CONTEXT_KIND_MESSAGE,
  other: KindNumber.CONTEXT_KIND_OTHER,
};
const KINDS: Readonly<Record<number, ContextKind>> = Object.fromEntries(
  CONTEXT_KINDS.map((kind) => [KIND_NUMBERS[kind], kind]),
);

const OMISSION_NUMBERS: Readonly<Record<OmissionReason, OmissionNumber>> = {
  budget: OmissionNumber.CONTEXT_OMISSION_REASON_BUDGET,
  kind_limit: OmissionNumber.CONTEXT_OMISSION_REASON_KIND_LIMIT,
  duplicate: OmissionNumber.CONTEXT_OMISSION_REASON_DUPLICATE,
  in_conversation: OmissionNumber.CONTEXT_OMISSION_REASON_IN_CONVERSATION,
  secret: OmissionNumber.CONTEXT_OMISSION_REASON_SECRET,
  no_text: OmissionNumber.CONTEXT_OMISSION_REASON_NO_TEXT,
  low_relevance: OmissionNumber.CONTEXT_OMISSION_REASON_LOW_RELEVANCE,
};

export function contextRequestOf(message: BuildContextRequest): ContextRequest {
  const checks = new RequestChecks();
  const { scope: provided, referenceTime, minRevision, fold } = message;
  const scope = provided && scopeOf(checks, 'scope', provided);
  const messages = messagesOf(checks, message);
  if (fold && !messages.some(({ role }) => role === 'user')) {
    checks.add('fold', 'must be false without a message with the role user');
  }
  const session = checks.text('session', message.session, MEMORY_LIMITS.namePartBytes, { plain: true });
  const request = {
    namespace: checks.namespace('parent', message.parent),
    scope,
    query: checks.text('query', message.query, QUERY_BYTES_MAX),
    messages,
    session: session || (scope?.session ?? ''),
    budget: budgetOf(checks, message),
    limits: limitsOf(checks, message.kindLimits),
    format: checks.choice('format', message.format, FORMATS),
    tokenizer: tokenizerOf(checks, message.tokenizer),
    kinds: kindsOf(checks, message.kinds),
    referenceUs: referenceTime && instantOf(checks, 'reference_time', referenceTime),
    timeZone: timeZoneOf(checks, 'time_zone', message.timeZone),
    minRelevance:
      message.minRelevance === undefined ? undefined : checks.within('min_relevance', message.minRelevance, 0, 1),
    isFolded: fold,
    minRevision: checks.wholeWithin('min_revision', minRevision),
  };
  checks.finish();
  return request;
}

const ROLES: readonly ChatRole[] = ['user', 'assistant', 'system', 'tool'];

function messagesOf(checks: RequestChecks, { messages }: BuildContextRequest): ChatMessage[] {
  if (messages.length > MESSAGES_MAX) checks.add('messages', `must be at most ${MESSAGES_MAX}, got ${messages.length}`);
  const bytes = messages.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  if (bytes > MESSAGES_BYTES_MAX) {
    checks.add('messages', `must have at most ${MESSAGES_BYTES_MAX} bytes of text in total, got ${bytes}`);
  }
  return messages.slice(0, MESSAGES_MAX).map(({ role: provided, text }, at) => {
    const role = ROLES.find((one) => one === provided);
    if (!role)
      checks.add(`messages[${at}].role`, `must be ${ROLES.join(', ')}, got ${JSON.stringify(provided.slice(0, 80))}`);
    return { role: role ?? 'user', text };
  });
}

function budgetOf(checks: RequestChecks, { budget }: BuildContextRequest): number {
  if (!budget) return BUDGET_DEFAULT;
  if (budget.$case === 'tokenBudget') return checks.within('token_budget', budget.value, 1, BUDGET_MAX);
  const { modelTokens, share = SHARE_DEFAULT } = budget.value;
  if (!(share > 0 && share <= 1)) checks.add('window.share', `must be more than 0 and at most 1, got ${share}`);
  const tokens = Math.floor(checks.within('window.model_tokens', modelTokens, 1, WINDOW_MAX) * share);
  return Math.min(BUDGET_MAX, Math.max(1, tokens));
}

function limitsOf(
  checks: RequestChecks,
  provided: readonly ContextKindLimit[],
): Readonly<Record<ContextKind, KindLimit>> {
  const limits = { ...KIND_LIMITS };
  const seen = new Set<ContextKind>();
  for (const [at, { kind: number, maxEntries, maxShare }] of provided.entries()) {
    const field = `kind_limits[${at}]`;
    const kind = checks.choice(`${field}.kind`, number, KINDS);
    if (seen.has(kind)) checks.add(`${field}.kind`, 'must be set once');
    seen.add(kind);
    limits[kind] = {
      maxEntries: checks.within(`${field}.max_entries`, maxEntries ?? ENTRIES_MAX, 0, ENTRIES_MAX),
      maxShare: checks.within(`${field}.max_share`, maxShare ?? KIND_LIMITS[kind]?.maxShare ?? 1, 0, 1),
    };
  }
  return limits;
}

function tokenizerOf(checks: RequestChecks, name: string): string {
  if (name === '') return TOKENIZERS[0];
  const known = TOKENIZERS.find((one) => one === name);
  if (!known) checks.add('tokenizer', `must be ${TOKENIZERS.join(', ')}, got ${JSON.stringify(name.slice(0, 80))}`);
  return known ?? name;
}

function kindsOf(checks: RequestChecks, kinds: readonly KindNumber[]): readonly ContextKind[] {
  if (kinds.length === 0) return CONTEXT_KINDS;
  return [...new Set(kinds.map((kind, at) => checks.choice(`kinds[${at}]`, kind, KINDS)))];
}

export function contextResponse(request: ContextRequest, built: BuiltContext): BuildContextResponse {
  const { text, messages, entries, omitted, tokens, tokenizer, degraded, query, revision } = built;
  return {
    text,
    messages: [...messages],
    entries: entries.map(({ candidate, tokens: ofEntry }) => ({
      name: candidate.name,
      kind: KIND_NUMBERS[candidate.kind],
      relevance: candidate.relevance,
      tokens: ofEntry,
      reason: candidate.reason,
      trust: TRUST_NUMBERS[candidate.trust],
      part: candidate.part,
    })),
    omitted: omitted.slice(0, OMITTED_MAX).map(omissionMessage),
    omittedTotal: omitted.length,
    tokens,
    budget: request.budget,
    tokenizer,
    degraded: [...degraded],
    complete: degraded.length === 0,
    query,
    revision: BigInt(revision),
  };
}

function omissionMessage({ candidate: { name, part }, reason, duplicateOf }: Omission) {
  return { name, part, reason: OMISSION_NUMBERS[reason], duplicateOf: duplicateOf?.name ?? '' };
}
