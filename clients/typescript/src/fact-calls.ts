import { randomUUID } from 'node:crypto';
import {
  type Fact as FactMessage,
  KnowledgeServiceService as methods,
  AssertOutcome as OutcomeCode,
  type FactState as StateMessage,
  TrustLevel,
} from '../../../gen/ts/mneme/v1/knowledge_service.ts';
import { incompleteAnswer } from './bad-input.ts';
import type { Connection } from './connection.ts';
import type {
  AssertFactQuery,
  AssertFactResult,
  Fact,
  FactHistory,
  FactState,
  ForgetFactsQuery,
  ForgetFactsResult,
  ListFactsQuery,
  NewFact,
  UndoSupersessionResult,
} from './fact-types.ts';
import type { Scope } from './memory.ts';
import { scopeMessage } from './memory-to-message.ts';
import { scopeOfMessage } from './message-to-memory.ts';
import { memoryName, namespaceName, partsOfName } from './names.ts';
import type { CallOptions, WriteOptions } from './options.ts';
import { itemsOfPages } from './paging.ts';
import { dateOf, PreciseDate, timestampOf } from './precise-date.ts';
import { trustOf } from './trust.ts';

const PAGE_SIZE = 200;

const OUTCOMES: ReadonlyMap<OutcomeCode, AssertFactResult['outcome']> = new Map([
  [OutcomeCode.ASSERT_OUTCOME_CREATED, 'created'],
  [OutcomeCode.ASSERT_OUTCOME_REINFORCED, 'reinforced'],
  [OutcomeCode.ASSERT_OUTCOME_RETRACTED, 'retracted'],
  [OutcomeCode.ASSERT_OUTCOME_IGNORED, 'ignored'],
]);

/** Facts: what is known of subjects, over time. A fact is named by the id or the resource name of its memory. */
export interface FactCalls {
  /**
   * Asserts that an attribute of a subject has a value, or with `retracts` that it no longer has it. A new value of an
   * attribute that has one value at a time supersedes the one before.
   */
  assertFact(fact: NewFact, query?: AssertFactQuery, options?: WriteOptions): Promise<AssertFactResult>;
  /** One fact. */
  get(id: string, options?: CallOptions): Promise<Fact>;
  /** Facts, the newest record first. Default: the facts that hold now. */
  list(query?: ListFactsQuery, options?: CallOptions): AsyncGenerator<Fact, void, undefined>;
  /** Every fact of one attribute of one subject, with its recorded states. */
  listHistory(
    subject: string,
    attribute: string,
    query?: { readonly scope?: Scope },
    options?: CallOptions,
  ): Promise<FactHistory>;
  /** Makes a superseded or retracted fact hold again. */
  undoSupersession(id: string, options?: WriteOptions): Promise<UndoSupersessionResult>;
  /** Erases facts with their history. Only `assertFact` brings their values back. */
  forget(query: ForgetFactsQuery, options?: WriteOptions): Promise<ForgetFactsResult>;
}

export function factCalls(connection: Connection, namespace: string): FactCalls {
  const parent = namespaceName(namespace);
  return {
    async assertFact(fact, { replaces = false, retracts = false } = {}, { requestId = randomUUID(), ...options } = {}) {
      const request = { parent, fact: factMessage(fact), replaces, retracts, requestId };
      const answer = await connection.unary(methods.assertFact, request, options);
      return {
        ...(answer.fact && { fact: factOf(answer.fact) }),
        outcome: OUTCOMES.get(answer.outcome) ?? 'other',
        supersededIds: answer.superseded.map((name) => partsOfName(name).id),
        revision: connection.seen(answer.revision),
      };
    },

    async get(id, options = {}) {
      const { fact } = await connection.unary(methods.getFact, { name: memoryName(namespace, id) }, options);
      return factOf(fact);
    },

    list(query = {}, options = {}) {
      const { scope, asOf, asOfRecorded, subject = '', attribute = '', includeSuperseded = false } = query;
      const request = {
        parent,
        scope: scopeMessage(scope),
        subject,
        attribute,
        asOf: timestampOf(asOf),
        asOfRecorded: timestampOf(asOfRecorded),
        includeSuperseded,
        pageSize: query.pageSize ?? PAGE_SIZE,
      };
      return itemsOfPages(async (pageToken) => {
        const answer = await connection.unary(methods.listFacts, { ...request, pageToken }, options);
        return { items: answer.facts.map(factOf), nextPageToken: answer.nextPageToken };
      });
    },

    async listHistory(subject, attribute, { scope } = {}, options = {}) {
      const request = { parent, scope: scopeMessage(scope), subject, attribute };
      const { facts, forgottenCount, singleValued } = await connection.unary(methods.listFactHistory, request, options);
      const histories = facts.map(({ fact, states, withdrawn }) => ({
        fact: factOf(fact),
        states: states.map(stateOf),
        withdrawn,
      }));
      return { facts: histories, forgottenCount, singleValued };
    },

    async undoSupersession(id, { requestId = randomUUID(), ...options } = {}) {
      const request = { name: memoryName(namespace, id), requestId };
      const { fact, withdrawn, revision } = await connection.unary(methods.undoSupersession, request, options);
      return {
        fact: factOf(fact),
        ...(withdrawn && { withdrawnId: partsOfName(withdrawn).id }),
        revision: connection.seen(revision),
      };
    },

    async forget(query, { requestId = randomUUID(), ...options } = {}) {
      const { ids = [], scope, subject = '', attribute = '', value = '', dryRun = false } = query;
      const names = ids.map((id) => memoryName(namespace, id));
      const request = { parent, names, scope: scopeMessage(scope), subject, attribute, value, dryRun, requestId };
      const answer = await connection.unary(methods.forgetFacts, request, options);
      return {
        forgottenCount: answer.forgottenCount,
        ids: answer.names.map((name) => partsOfName(name).id),
        revision: connection.seen(answer.revision),
      };
    },
  };
}

function factMessage(fact: NewFact): FactMessage {
  const { scope, validFrom, validUntil } = fact;
  return {
    name: '',
    scope: scopeMessage(scope),
    subject: fact.subject,
    attribute: fact.attribute,
    value: fact.value ?? '',
    text: fact.text ?? '',
    confidence: fact.confidence,
    reinforcementCount: 0,
    sources: [...(fact.sources ?? [])],
    trust: TrustLevel.TRUST_LEVEL_UNSPECIFIED,
    validFrom: timestampOf(validFrom),
    validUntil: timestampOf(validUntil),
    supersededBy: '',
    recordTime: undefined,
    assertTime: undefined,
    version: 0n,
  };
}

function factOf(message: FactMessage | undefined): Fact {
  if (message === undefined) throw incompleteAnswer('fact');
  const { name, scope, subject, attribute, value, text, reinforcementCount, sources } = message;
  return {
    name,
    id: partsOfName(name).id,
    scope: scopeOfMessage(scope),
    subject,
    attribute,
    value,
    text,
    confidence: message.confidence ?? 1,
    reinforcementCount,
    sources,
    trust: trustOf(message.trust),
    recordTime: timeOf(message.recordTime),
    assertTime: timeOf(message.assertTime),
    version: Number(message.version),
    ...validityOf(message),
  };
}

function stateOf(message: StateMessage): FactState {
  return { recordTime: timeOf(message.recordTime), ...validityOf(message) };
}

function validityOf({ validFrom, validUntil, supersededBy }: FactMessage | StateMessage) {
  return {
    validFrom: timeOf(validFrom),
    ...(validUntil && { validUntil: dateOf(validUntil) }),
    ...(supersededBy && { supersededBy: partsOfName(supersededBy).id }),
  };
}

function timeOf(timestamp: FactMessage['recordTime']): Date {
  return timestamp === undefined ? new PreciseDate(0) : dateOf(timestamp);
}
