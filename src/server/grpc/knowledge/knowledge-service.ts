import {
  AssertFactRequest,
  AssertFactResponse,
  ForgetFactsRequest,
  ForgetFactsResponse,
  GetFactRequest,
  GetFactResponse,
  ListFactHistoryRequest,
  ListFactHistoryResponse,
  ListFactsRequest,
  ListFactsResponse,
  KnowledgeServiceService as Service,
  UndoSupersessionRequest,
  UndoSupersessionResponse,
} from '../../../../gen/ts/mneme/v1/knowledge_service.ts';
import { FACT_LIMITS } from '../../../memory/facts/fact-key.ts';
import { isUnscoped } from '../../../memory/scope.ts';
import type { ListPosition } from '../../../storage/records.ts';
import { type ForgetFactsRequest as Forget, forgetFacts, undoFact } from '../../operations/facts/amend-facts.ts';
import { assertFact } from '../../operations/facts/assert-fact.ts';
import type { FactDeps } from '../../operations/facts/fact-deps.ts';
import { factHistory, getFact, type ListFactsRequest as List, listFacts } from '../../operations/facts/read-facts.ts';
import { type Route, unary } from '../edge/handler.ts';
import { type PageQuery, pageQuery, pageToken, positionIn } from '../edge/page-token.ts';
import { instantOf, memoryName, RequestChecks } from '../edge/request-checks.ts';
import { scopeOf } from '../memories/memory-fields.ts';
import { missingMemory } from '../memories/memory-requests.ts';
import {
  assertResponse,
  attributeOf,
  type FactReadTime,
  factMessage,
  historyMessage,
  keyOf,
  statementOf,
  subjectOf,
  valueIn,
} from './fact-messages.ts';

/** `proto/mneme/v1/knowledge_service.proto`. */
export function knowledgeService(deps: FactDeps): Route[] {
  return [...writingMethods(deps), ...readingMethods(deps)];
}

function readTimeOf({ clock, factHalfLifeDays: halfLifeDays }: FactDeps): FactReadTime {
  return { nowUs: clock.nowUs(), halfLifeDays };
}

function writingMethods(deps: FactDeps): Route[] {
  return [
    unary(Service.assertFact, AssertFactRequest, AssertFactResponse, async (message, call) => {
      const checks = new RequestChecks();
      const namespace = checks.namespace('parent', message.parent);
      const statement = statementOf(checks, message.fact, message);
      checks.finish();
      const asserted = await assertFact(deps, namespace, statement, call);
      return assertResponse(namespace, asserted, readTimeOf(deps));
    }),
    unary(Service.undoSupersession, UndoSupersessionRequest, UndoSupersessionResponse, async ({ name }, call) => {
      const checks = new RequestChecks();
      const { namespace, id } = checks.memoryName('name', name);
      checks.finish();
      const { withdrawnId, revision } = await undoFact(deps, namespace, id, call);
      const fact = factMessage(await getFact(deps, namespace, id, call), readTimeOf(deps));
      const withdrawn = withdrawnId === undefined ? '' : memoryName(namespace, withdrawnId);
      return { fact, withdrawn, revision: BigInt(revision) };
    }),
    unary(Service.forgetFacts, ForgetFactsRequest, ForgetFactsResponse, async (message, call) => {
      const request = forgetRequestOf(message);
      const { count, ids } = await forgetFacts(deps, request, call);
      const names = ids.map((id) => memoryName(request.namespace, id));
      return { forgottenCount: count, names, revision: BigInt(deps.store.revision) };
    }),
  ];
}

function readingMethods(deps: FactDeps): Route[] {
  return [
    unary(
      Service.getFact,
      GetFactRequest,
      GetFactResponse,
      async ({ name }, call) => {
        const checks = new RequestChecks();
        const { namespace, id } = checks.memoryName('name', name);
        checks.finish();
        return { fact: factMessage(await getFact(deps, namespace, id, call), readTimeOf(deps)) };
      },
      { whenAbsent: missingMemory },
    ),
    unary(
      Service.listFacts,
      ListFactsRequest,
      ListFactsResponse,
      async (message, call) => {
        const { request, query } = listRequestOf(message);
        const { facts, next } = await listFacts(deps, request, call);
        const readTime = readTimeOf(deps);
        return {
          facts: facts.map((fact) => factMessage(fact, readTime)),
          nextPageToken: next ? pageToken(query, next) : '',
        };
      },
      { whenAbsent: () => ListFactsResponse.fromPartial({}) },
    ),
    unary(
      Service.listFactHistory,
      ListFactHistoryRequest,
      ListFactHistoryResponse,
      async (message, call) => {
        const checks = new RequestChecks();
        const namespace = checks.namespace('parent', message.parent);
        const scope = scopeOf(checks, 'scope', message.scope);
        const key = keyOf(checks, { scope, subject: message.subject, attribute: message.attribute });
        checks.finish();
        const { facts, forgottenCount, isSingleValued } = await factHistory(deps, namespace, key, call);
        const readTime = readTimeOf(deps);
        return {
          facts: facts.map((fact) => historyMessage(namespace, fact, readTime)),
          forgottenCount,
          singleValued: isSingleValued,
        };
      },
      { whenAbsent: () => ListFactHistoryResponse.fromPartial({}) },
    ),
  ];
}

const PAGE = { fallback: 50, max: 1000 };

function listRequestOf(message: ListFactsRequest): { request: List; query: PageQuery } {
  const checks = new RequestChecks();
  const namespace = checks.namespace('parent', message.parent);
  const scope = message.scope && scopeOf(checks, 'scope', message.scope);
  const subject = subjectOf(checks, 'subject', message.subject);
  const attribute = attributeOf(checks, 'attribute', message.attribute);
  const validAtUs = message.asOf && instantOf(checks, 'as_of', message.asOf);
  const recordedAtUs = message.asOfRecorded && instantOf(checks, 'as_of_recorded', message.asOfRecorded);
  const limit = checks.pageSize(message.pageSize, PAGE.fallback, PAGE.max);
  checks.finish();
  const query = pageQuery(Service.listFacts.path, ListFactsRequest, { ...message, pageSize: 0, pageToken: '' });
  const after = positionIn<ListPosition>(query, message.pageToken);
  const request = {
    namespace,
    scope,
    subject,
    attribute,
    validAtUs,
    recordedAtUs,
    includesSuperseded: message.includeSuperseded,
    limit,
    after,
  };
  return { request, query };
}

function forgetRequestOf(message: ForgetFactsRequest): Forget {
  const checks = new RequestChecks();
  const namespace = checks.namespace('parent', message.parent);
  const { claims: namesMax } = FACT_LIMITS;
  if (message.names.length > namesMax) {
    checks.add('names', `must be at most ${namesMax}, got ${message.names.length}`);
  }
  const ids = message.names.slice(0, namesMax).map((name, at) => {
    const named = checks.memoryName(`names[${at}]`, name);
    if (named.namespace !== '' && named.namespace !== namespace) checks.add(`names[${at}]`, 'must be of the parent');
    return named.id;
  });
  const scope = message.scope && scopeOf(checks, 'scope', message.scope);
  const subject = subjectOf(checks, 'subject', message.subject);
  const attribute = attributeOf(checks, 'attribute', message.attribute);
  const value = valueIn(checks, 'value', message.value);
  const isScoped = scope !== undefined && !isUnscoped(scope);
  const selects = isScoped || [subject, attribute, value].some((part) => part !== undefined);
  if (ids.length > 0 && selects) checks.add('names', 'must be empty when scope, subject, attribute or value is set');
  if (ids.length === 0 && !selects) checks.add('names', 'or one of scope, subject, attribute and value is required');
  checks.finish();
  return {
    namespace,
    ids: [...new Set(ids)],
    scope,
    subject,
    attribute,
    value,
    dryRun: message.dryRun,
  };
}
