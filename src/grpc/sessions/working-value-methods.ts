import {
  BatchGetValuesRequest as BatchGetRequest,
  BatchGetValuesResponse as BatchGetResponse,
  ClearWorkingMemoryRequest,
  ClearWorkingMemoryResponse,
  DeleteValueRequest as DeleteRequest,
  DeleteValueResponse as DeleteResponse,
  GetValueRequest as GetRequest,
  GetValueResponse as GetResponse,
  HasValueRequest,
  HasValueResponse,
  WorkingMemoryServiceService as Service,
  SetValueRequest,
  SetValueResponse,
  TransactValuesRequest,
  TransactValuesResponse,
} from '../../../gen/ts/mneme/v1/working_memory_service.ts';
import type { WorkingMemoryDeps } from '../../operations/sessions/working-memory/working-memory-deps.ts';
import { writeSession } from '../../operations/sessions/working-memory/write-session.ts';
import { type Route, unary } from '../edge/handler.ts';
import { keyIn, sessionIn } from './session-fields.ts';
import { entryMessage } from './working-memory-messages.ts';
import {
  checked,
  expiryOf,
  givenContent,
  ifVersionOf,
  keyRequestOf,
  sessionDefaultOf,
  transactRequestOf,
} from './working-memory-requests.ts';

const KEYS_MAX = 1000;

/** The methods of WorkingMemoryService on single keys and several of them. */
export function workingValueMethods(deps: WorkingMemoryDeps): Route[] {
  const { clock, sessions } = deps;
  return [
    unary(Service.setValue, SetValueRequest, SetValueResponse, async (message, call) => {
      const { of, op, first } = checked((checks) => ({
        of: sessionIn(checks, 'session', message.session),
        op: {
          kind: 'set' as const,
          key: keyIn(checks, 'key', message.key),
          content: givenContent(checks, 'value', message.value),
          expiry: expiryOf(checks, 'expiry', message.expiry, clock.nowUs()),
          ...ifVersionOf(checks, 'if_version', message.ifVersion),
        },
        first: sessionDefaultOf(checks, message.sessionDefault),
      }));
      const { results, revision } = await writeSession(deps, of, [...first, op], call);
      const head = results.at(-1)?.head;
      return { entry: head && entryMessage(head), revision: BigInt(revision) };
    }),
    unary(Service.getValue, GetRequest, GetResponse, async (message) => {
      const { of, key } = keyRequestOf(message);
      const { entries, revision } = await sessions.get({ ...of, keys: [key], nowUs: clock.nowUs() });
      return { entry: entries[0] && entryMessage(entries[0]), revision: BigInt(revision) };
    }),
    unary(Service.batchGetValues, BatchGetRequest, BatchGetResponse, async (message) => {
      const { of, keys } = checked((checks) => {
        const { length } = message.keys;
        if (length < 1 || length > KEYS_MAX) checks.add('keys', `must be 1 to ${KEYS_MAX}, got ${length}`);
        return {
          of: sessionIn(checks, 'session', message.session),
          keys: message.keys.slice(0, KEYS_MAX).map((key, at) => keyIn(checks, `keys[${at}]`, key)),
        };
      });
      const { entries, revision } = await sessions.get({ ...of, keys, nowUs: clock.nowUs() });
      return {
        entries: entries.flatMap((entry) => (entry ? [entryMessage(entry)] : [])),
        missing: keys.filter((_, at) => !entries[at]),
        revision: BigInt(revision),
      };
    }),
    unary(Service.hasValue, HasValueRequest, HasValueResponse, async (message) => {
      const { of, key } = keyRequestOf(message);
      const { entries, revision } = await sessions.get({ ...of, keys: [key], nowUs: clock.nowUs() });
      const [entry] = entries;
      const head = entry && { ...entryMessage(entry), value: undefined };
      return { exists: entry !== undefined, entry: head, revision: BigInt(revision) };
    }),
    unary(Service.deleteValue, DeleteRequest, DeleteResponse, async (message, call) => {
      const { of, op } = checked((checks) => ({
        of: sessionIn(checks, 'session', message.session),
        op: {
          kind: 'delete' as const,
          key: keyIn(checks, 'key', message.key),
          ...ifVersionOf(checks, 'if_version', message.ifVersion),
        },
      }));
      const { result, revision } = await writeSession(deps, of, [op], call);
      return { deleted: result.removed > 0, revision: BigInt(revision) };
    }),
    unary(Service.clearWorkingMemory, ClearWorkingMemoryRequest, ClearWorkingMemoryResponse, async (message, call) => {
      const { keepValues, clearTaskState: task, clearScratchpad: notes } = message;
      const of = checked((checks) => sessionIn(checks, 'session', message.session));
      const op = { kind: 'clear', values: !keepValues, task, notes, checkpoints: false } as const;
      const { result, revision } = await writeSession(deps, of, [op], call);
      return { keyCount: result.removed, noteCount: result.notes ?? 0, revision: BigInt(revision) };
    }),
    unary(Service.transactValues, TransactValuesRequest, TransactValuesResponse, async (message, call) => {
      const { of, ops } = transactRequestOf(message, clock.nowUs());
      const { results, revision } = await writeSession(deps, of, ops, call);
      return {
        results: results.map(({ head, removed }) => ({ entry: head && entryMessage(head), deleted: removed > 0 })),
        revision: BigInt(revision),
      };
    }),
  ];
}
