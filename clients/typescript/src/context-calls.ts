import {
  ContextFormat as FormatCode,
  ContextKind as KindCode,
  ContextServiceService as methods,
  ContextOmissionReason as OmissionCode,
  type BuildContextRequest as Request,
} from '../../../gen/ts/mneme/v1/context_service.ts';
import type { Connection } from './connection.ts';
import type { Context, ContextFormat, ContextKind, ContextOmission, ContextQuery } from './context-types.ts';
import { scopeMessage } from './memory-to-message.ts';
import { contextMessage } from './message-in.ts';
import { namespaceName } from './names.ts';
import type { ReadOptions } from './options.ts';
import { offsetOf, timestampOf } from './precise-date.ts';
import { trustOf } from './trust.ts';

/** ContextService. */
export interface ContextCalls {
  /** Text for the context window of a model: the memories that answer a query, quoted, within a token budget. */
  buildContext(query: string | ContextQuery, options?: ReadOptions): Promise<Context>;
}

export function contextCalls(connection: Connection, namespace: string): ContextCalls {
  return {
    async buildContext(query, options = {}) {
      const request = requestOf(typeof query === 'string' ? { query } : query, namespace);
      const answer = await connection.unary(
        methods.buildContext,
        { ...request, minRevision: connection.minRevision(options) },
        { timeoutMs: connection.recallTimeoutMs, ...options },
      );
      const { text, messages, entries, omitted, omittedTotal, tokens, budget, tokenizer, degraded, complete } = answer;
      return {
        text,
        messages,
        entries: entries.map(({ kind, trust, ...entry }) => ({
          ...entry,
          kind: KINDS.get(kind) ?? 'other',
          trust: trustOf(trust),
        })),
        omitted: omitted.map(({ reason, ...one }) => ({ ...one, reason: OMISSIONS.get(reason) ?? 'other' })),
        omittedTotal,
        tokens,
        budget,
        tokenizer,
        degraded,
        complete,
        query: answer.query,
        revision: connection.seen(answer.revision),
      };
    },
  };
}

const FORMAT_CODES: Readonly<Record<ContextFormat, FormatCode>> = {
  xml: FormatCode.CONTEXT_FORMAT_XML,
  markdown: FormatCode.CONTEXT_FORMAT_MARKDOWN,
  json_messages: FormatCode.CONTEXT_FORMAT_JSON_MESSAGES,
};

const KIND_CODES: Readonly<Record<ContextKind, KindCode>> = {
  working: KindCode.CONTEXT_KIND_WORKING,
  fact: KindCode.CONTEXT_KIND_FACT,
  procedure: KindCode.CONTEXT_KIND_PROCEDURE,
  episode: KindCode.CONTEXT_KIND_EPISODE,
  message: KindCode.CONTEXT_KIND_MESSAGE,
  other: KindCode.CONTEXT_KIND_OTHER,
};
const KINDS = new Map(Object.entries(KIND_CODES).map(([kind, code]) => [code, kind as ContextKind]));

const OMISSIONS: ReadonlyMap<OmissionCode, ContextOmission['reason']> = new Map([
  [OmissionCode.CONTEXT_OMISSION_REASON_BUDGET, 'budget'],
  [OmissionCode.CONTEXT_OMISSION_REASON_KIND_LIMIT, 'kind_limit'],
  [OmissionCode.CONTEXT_OMISSION_REASON_DUPLICATE, 'duplicate'],
  [OmissionCode.CONTEXT_OMISSION_REASON_IN_CONVERSATION, 'in_conversation'],
  [OmissionCode.CONTEXT_OMISSION_REASON_SECRET, 'secret'],
  [OmissionCode.CONTEXT_OMISSION_REASON_NO_TEXT, 'no_text'],
  [OmissionCode.CONTEXT_OMISSION_REASON_LOW_RELEVANCE, 'low_relevance'],
]);

function requestOf(query: ContextQuery, namespace: string): Omit<Request, 'minRevision'> {
  const { kindLimits = {}, referenceTime, format, kinds = [] } = query;
  return {
    parent: namespaceName(namespace),
    scope: scopeMessage(query.scope),
    query: query.query ?? '',
    messages: (query.messages ?? []).flatMap((message, at) => contextMessage(message, `messages[${at}]`)),
    session: query.session ?? '',
    budget: budgetOf(query),
    kindLimits: KIND_ENTRIES.flatMap(([kind, code]) => {
      const limit = kindLimits[kind];
      return limit ? [{ kind: code, maxEntries: limit.maxEntries, maxShare: limit.maxShare }] : [];
    }),
    format: format === undefined ? FormatCode.CONTEXT_FORMAT_UNSPECIFIED : FORMAT_CODES[format],
    tokenizer: query.tokenizer ?? '',
    kinds: kinds.map((kind) => KIND_CODES[kind]),
    referenceTime: timestampOf(referenceTime),
    timeZone: query.timeZone ?? offsetOf(referenceTime),
    minRelevance: query.minRelevance,
    fold: query.fold ?? false,
  };
}

const KIND_ENTRIES = Object.entries(KIND_CODES) as [ContextKind, KindCode][];

function budgetOf({ tokenBudget, modelTokens, share }: ContextQuery): Request['budget'] {
  if (tokenBudget !== undefined) return { $case: 'tokenBudget', value: tokenBudget };
  return modelTokens === undefined ? undefined : { $case: 'window', value: { modelTokens, share } };
}
