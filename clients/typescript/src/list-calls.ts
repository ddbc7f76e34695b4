import { MemoryServiceService as methods } from '../../../gen/ts/mneme/v1/memory_service.ts';
import type { Connection } from './connection.ts';
import { changeOf, ORDER_CODES, viewCode } from './enums.ts';
import { filterFields } from './filter.ts';
import type { ListQuery, MemoryCalls } from './memory-calls.ts';
import { memoryOfMessage } from './message-to-memory.ts';
import { memoryName, namespaceName, partsOfName } from './names.ts';
import type { ReadOptions } from './options.ts';
import { itemsOfPages } from './paging.ts';
import { timestampOf } from './precise-date.ts';

const PAGE_SIZE = 200;
const REVISIONS_PAGE_SIZE = 100;

/** The calls of MemoryService that answer in pages. */
export function listCalls(
  connection: Connection,
  namespace: string,
): Pick<MemoryCalls, 'list' | 'listPage' | 'listRevisions'> {
  /** Every page of a list must ask for the same `minRevision`, however much this client has seen meanwhile. */
  async function readPage(query: ListQuery, pageToken: string, minRevision: bigint, options: ReadOptions) {
    const { filter, order = 'create_time_desc', view, pageSize = 0, includeInvalid, asOf } = query;
    const answer = await connection.unary(
      methods.listMemories,
      {
        parent: namespaceName(namespace),
        ...filterFields(filter),
        includeInvalid,
        asOf: timestampOf(asOf),
        order: ORDER_CODES[order],
        pageSize,
        pageToken,
        view: viewCode(view),
        minRevision,
      },
      options,
    );
    return {
      items: answer.memories.map(memoryOfMessage),
      damagedIds: answer.damaged.map((name) => partsOfName(name).id),
      nextPageToken: answer.nextPageToken,
      revision: connection.seen(answer.revision),
    };
  }

  return {
    list(query = {}, options = {}) {
      const minRevision = connection.minRevision(options);
      const paged = { pageSize: PAGE_SIZE, ...query };
      return itemsOfPages((pageToken) => readPage(paged, pageToken, minRevision, options), query.onDamaged);
    },

    async listPage({ pageToken = '', ...query } = {}, options = {}) {
      const at = startOfPage(pageToken) ?? { minRevision: connection.minRevision(options), pageToken };
      const { items, damagedIds, nextPageToken, revision } = await readPage(
        query,
        at.pageToken,
        at.minRevision,
        options,
      );
      const next = nextPageToken === '' ? '' : `${at.minRevision}:${nextPageToken}`;
      return { memories: items, damagedIds, nextPageToken: next, revision };
    },

    listRevisions(id, options = {}) {
      const name = memoryName(namespace, id);
      const readStates = async (pageToken: string) => {
        const request = { name, pageSize: REVISIONS_PAGE_SIZE, pageToken };
        const answer = await connection.unary(methods.listMemoryRevisions, request, options);
        const items = answer.revisions.map(({ memory, change }) => ({
          memory: memoryOfMessage(memory),
          change: changeOf(change),
        }));
        return { items, damagedIds: Array(answer.damagedCount).fill(id), nextPageToken: answer.nextPageToken };
      };
      return itemsOfPages(readStates, undefined, 'former states');
    },
  };
}

/** Page tokens of this client carry the `minRevision` of the first page in front of the server's token. */
function startOfPage(pageToken: string): { minRevision: bigint; pageToken: string } | undefined {
  const [, minRevision, serverToken] = /^(\d+):(.+)$/s.exec(pageToken) ?? [];
  if (minRevision === undefined || serverToken === undefined) return undefined;
  return { minRevision: BigInt(minRevision), pageToken: serverToken };
}
