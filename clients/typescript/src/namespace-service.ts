import { randomUUID } from 'node:crypto';
import {
  NamespaceServiceService as methods,
  type Namespace as NamespaceMessage,
} from '../../../gen/ts/mneme/v1/namespace_service.ts';
import { agentStatisticsOf, named } from './agent-statistics.ts';
import { incompleteAnswer, integerOf } from './bad-input.ts';
import type { Connection } from './connection.ts';
import { scopeOfMessage } from './message-to-memory.ts';
import { namespaceName, partsOfName } from './names.ts';
import type { Namespace, NamespaceCalls, NamespaceSettings } from './namespace-calls.ts';
import { itemsOfPages } from './paging.ts';
import { dateOf, PreciseDate } from './precise-date.ts';
import { statisticsOf } from './statistics.ts';

/** 0 leaves the size of a page to the server. */
const SERVER_PAGE_SIZE = 0;

export function namespaceService(connection: Connection, ownNamespace: string): NamespaceCalls {
  return {
    async create(namespace, settings = {}, { requestId = randomUUID(), ...options } = {}) {
      const request = { namespace: messageOf(namespaceName(namespace), settings), requestId };
      const answer = await connection.unary(methods.createNamespace, request, options);
      connection.seen(answer.revision);
      return namespaceOf(answer.namespace);
    },

    async get(namespace = ownNamespace, options = {}) {
      const answer = await connection.unary(methods.getNamespace, { name: namespaceName(namespace) }, options);
      return namespaceOf(answer.namespace);
    },

    list(options = {}) {
      return itemsOfPages(async (pageToken) => {
        const request = { pageSize: SERVER_PAGE_SIZE, pageToken };
        const answer = await connection.unary(methods.listNamespaces, request, options);
        return { items: answer.namespaces.map(namespaceOf), nextPageToken: answer.nextPageToken };
      });
    },

    async update(namespace, settings, { requestId = randomUUID(), ifVersion, allowDemotion = false, ...options } = {}) {
      const updateMask = [
        ...(settings.description === undefined ? [] : ['description']),
        ...(settings.memoryLimit === undefined ? [] : ['memory_limit']),
        ...(settings.settings === undefined ? [] : ['settings']),
      ];
      const message = messageOf(namespaceName(namespace), settings);
      const answer = await connection.unary(
        methods.updateNamespace,
        { namespace: message, updateMask, ifVersion: integerOf(ifVersion, 'ifVersion'), requestId, allowDemotion },
        options,
      );
      connection.seen(answer.revision);
      return namespaceOf(answer.namespace);
    },

    async delete(namespace, { requestId = randomUUID(), force = false, ...options } = {}) {
      const request = { name: namespaceName(namespace), force, requestId };
      const answer = await connection.unary(methods.deleteNamespace, request, options);
      return { forgottenCount: answer.forgottenCount, revision: connection.seen(answer.revision) };
    },

    listScopes(namespace = ownNamespace, options = {}) {
      const parent = namespaceName(namespace);
      return itemsOfPages(async (pageToken) => {
        const request = { parent, pageSize: SERVER_PAGE_SIZE, pageToken };
        const answer = await connection.unary(methods.listScopes, request, options);
        const items = answer.scopes.map(({ scope, memoryCount }) => ({ scope: scopeOfMessage(scope), memoryCount }));
        return { items, nextPageToken: answer.nextPageToken };
      });
    },

    async getStatistics(namespace = ownNamespace, { simplified = false, ...options } = {}) {
      const request = { name: namespaceName(namespace), simplified, agent: '' };
      const answer = await connection.unary(methods.getNamespaceStatistics, request, options);
      connection.seen(answer.revision);
      const { lastMaintenanceTime: time } = answer;
      return { ...statisticsOf(answer.statistics), ...(time && { lastMaintenanceTime: dateOf(time) }) };
    },

    async getAgentStatistics(agent, namespace = ownNamespace, { simplified = false, ...options } = {}) {
      const request = { name: namespaceName(namespace), simplified, agent: named(agent) };
      const answer = await connection.unary(methods.getNamespaceStatistics, request, options);
      connection.seen(answer.revision);
      return agentStatisticsOf(answer.agentStatistics);
    },
  };
}

function messageOf(
  name: string,
  { description = '', memoryLimit = 0, settings = {} }: NamespaceSettings,
): NamespaceMessage {
  return {
    name,
    description,
    memoryLimit,
    settings: Object.fromEntries(
      Object.entries(settings).map(([key, value]) => [key, value === null ? '' : String(value)]),
    ),
    createTime: undefined,
    updateTime: undefined,
    embeddingModel: '',
    embeddingDimension: 0,
    version: 0n,
  };
}

function namespaceOf(message: NamespaceMessage | undefined): Namespace {
  if (message === undefined) throw incompleteAnswer('namespace');
  const time = (timestamp: NamespaceMessage['createTime']) =>
    timestamp === undefined ? new PreciseDate(0) : dateOf(timestamp);
  return {
    ...message,
    version: Number(message.version),
    id: partsOfName(message.name).namespace,
    createTime: time(message.createTime),
    updateTime: time(message.updateTime),
  };
}
