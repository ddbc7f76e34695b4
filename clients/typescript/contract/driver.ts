/** The driver of the contract test for this client: maps lines to calls, see test/contract/README.md. */
import { createInterface } from 'node:readline';
import { bytesOf, jsonOf, methodOf } from '../../../test/contract/api.ts';
import {
  type CallOptions,
  type ConnectOptions,
  connect,
  type Mneme,
  MnemeError,
  type RawMethod,
  services,
} from '../src/index.ts';
import { splitArguments } from './call-arguments.ts';
import { STREAMS, type Stream } from './streams.ts';
import { argumentOf, errorResult, NotInThisLanguage, resultOf } from './values.ts';

type Fields = Readonly<Record<string, unknown>>;
type Call = (...args: unknown[]) => unknown;

/** Parameters of each call before its options; `*` is a query of all arguments. Calls that are not listed have none. */
const PARAMETERS: Readonly<Record<string, string>> = {
  store: 'memory',
  batch_store: 'memories',
  get: 'id',
  batch_get: 'ids',
  update: 'id changes',
  supersede: 'id memory',
  set_importance: 'id importance',
  delete: 'id',
  forget: '*',
  count: '*',
  list: '*',
  list_page: '*',
  list_revisions: 'id',
  get_attribute_history: 'path *',
  get_states_at_steps: 'steps *',
  get_sequence: 'id *',
  recall: '*',
  build_context: '*',
  demote: 'ids',
  promote: 'ids',
  clear_tier: 'tier *',
  export_memories: '*',
  'namespaces.create': 'namespace *',
  'namespaces.get': 'namespace',
  'namespaces.update': 'namespace *',
  'namespaces.delete': 'namespace',
  'namespaces.list_scopes': 'namespace',
  'namespaces.get_statistics': 'namespace',
  'namespaces.get_agent_statistics': 'agent namespace',
  'admin.get_agent_statistics': 'agent',
  'admin.reembed': 'namespace',
  'admin.get_reembed_progress': 'namespace',
  'admin.maintain_tiers': '*',
  'admin.clear_recall_cache': 'namespace',
  'admin.update_config': 'settings',
  'scopes.set_policy': 'scope *',
  'agents.create_snapshot': 'scope',
  'agents.delete_snapshot': 'id',
  'agents.diff_snapshots': 'id to',
  'agents.restore_snapshot': 'id',
  'agents.fork_snapshot': 'id to',
  'subscriptions.create': 'id *',
  'subscriptions.get': 'id',
  'subscriptions.delete': 'id',
  'subscriptions.rotate_webhook_secret': 'id *',
  'subscriptions.resume_webhook': 'id *',
  'conversations.append': 'conversation messages *',
  'conversations.list': 'conversation *',
  'conversations.pop': 'conversation *',
  'conversations.replace_suffix': 'conversation *',
  'conversations.clear': 'conversation',
  'conversations.flush': '*',
  'conversations.get_extraction_status': '*',
  'conversations.retry_extraction': '*',
  'episodes.record': '*',
  'episodes.reflect': '*',
  'procedures.record': 'procedure',
  'procedures.find': 'situation *',
  'procedures.record_outcome': 'id outcome *',
  'consolidation.run': '*',
  'consolidation.undo': 'reportId',
  'facts.assert_fact': 'fact *',
  'facts.get': 'id',
  'facts.list': '*',
  'facts.list_history': 'subject attribute *',
  'facts.undo_supersession': 'id',
  'facts.forget': '*',
  'lifecycle.spawn': '*',
  'lifecycle.pause': 'session *',
  'lifecycle.resume': 'session *',
  'lifecycle.terminate': 'session *',
  'lifecycle.delete': 'session *',
  'lifecycle.get': 'session',
  'lifecycle.list': '*',
  'lifecycle.list_checkpoints': 'session',
  'lifecycle.acknowledge_events': 'consumer event',
  'session.set': 'key value',
  'session.get': 'key',
  'session.batch_get': 'keys',
  'session.has': 'key',
  'session.delete': 'key',
  'session.list_keys': 'pattern',
  'session.get_all': '*',
  'session.transact': 'operations',
  'session.set_task_state': '*',
  'session.update_task_progress': '*',
  'session.append_scratchpad': 'notes',
  'session.list_scratchpad': '*',
  'session.create_checkpoint': '*',
  'session.restore_checkpoint': 'id',
  'session.get_checkpoint': 'id',
  'session.delete_checkpoint': 'id',
  'session.keep_checkpoint': 'id',
  'session.fork_checkpoint': 'id target',
  'session.diff_checkpoints': 'from *',
};

const clients = new Map<string, Mneme>();
const streams = new Map<string, Stream>();
/** By the id of the request; for a stream's request, the function that cancels the stream. */
const cancels = new Map<number, AbortController>();
const streamCancels = new Map<string, AbortController>();

createInterface(process.stdin)
  .on('line', (line) => void take(JSON.parse(line) as Fields & { id: number }))
  .on('close', () => process.exit());

async function take(request: Fields & { id: number }): Promise<void> {
  const { id } = request;
  try {
    say({ id, result: resultOf((await answer(request)) ?? {}) });
  } catch (error) {
    if (error instanceof MnemeError) say({ id, error: errorResult(error) });
    else if (error instanceof NotInThisLanguage) say({ id, unsupported: error.message });
    else say({ id, fault: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  } finally {
    cancels.delete(id);
  }
}

function say(answer: Fields): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

async function answer(request: Fields & { id: number }): Promise<unknown> {
  const { id, op, stream: name = '' } = request;
  switch (op) {
    case 'connect': {
      const options = argumentOf(request['options'] ?? {}) as ConnectOptions;
      clients.set(String(request['client']), connect(String(request['address']), options));
      return {};
    }
    case 'call':
      return call(request, signalOf(id));
    case 'rpc':
      return rpc(request, signalOf(id));
    case 'open': {
      const controller = new AbortController();
      const args = argumentOf(request['args'] ?? {}) as Parameters<NonNullable<(typeof STREAMS)[string]>>[1];
      const open = STREAMS[String(request['method'])];
      if (!open) throw new TypeError(`no stream ${String(request['method'])}`);
      streams.set(String(name), await open(clientOf(request), args, { signal: controller.signal }));
      streamCancels.set(String(name), controller);
      return {};
    }
    case 'next': {
      const controller = streamCancels.get(String(name));
      if (controller) cancels.set(id, controller);
      return streamOf(name).next?.(Number(request['count'] ?? 1));
    }
    case 'send':
      return streamOf(name).send?.(request['item'] as Fields);
    case 'end':
      return streamOf(name).end();
    case 'cancel':
      cancels.get(Number(request['call']))?.abort();
      return {};
    case 'close':
      return clients.get(String(request['client']))?.close();
    default:
      throw new TypeError(`no operation ${String(op)}`);
  }
}

function signalOf(id: number): AbortSignal {
  const controller = new AbortController();
  cancels.set(id, controller);
  return controller.signal;
}

function clientOf({ client }: Fields): Mneme {
  const mneme = clients.get(String(client));
  if (!mneme) throw new TypeError(`no client ${String(client)}`);
  return mneme;
}

function streamOf(name: unknown): Stream {
  const stream = streams.get(String(name));
  if (!stream) throw new TypeError(`no stream ${String(name)}`);
  return stream;
}

async function call(request: Fields, signal: AbortSignal): Promise<unknown> {
  const method = String(request['method']);
  const args = argumentOf(request['args'] ?? {}) as Fields;
  const camel = (text: string) => text.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const [group = '', name] = method.includes('.') ? method.split('.') : ['', method];
  const calls = groupOf(clientOf(request), group, args) as Readonly<Record<string, Call>>;
  const parameters = (PARAMETERS[method] ?? '').split(' ').filter((each) => each !== '');
  const { query, options } = splitArguments(group, camel(name ?? ''), parameters, args);
  const given = parameters.map((each) => (each === '*' ? query : args[each]));
  const made = calls[camel(name ?? '')];
  if (!made) throw new TypeError(`no call ${method}`);
  const result = made(...given, { ...options, signal });
  if (!isIterator(result)) return result;
  const items: unknown[] = [];
  for await (const item of result) items.push(item);
  return items;
}

function groupOf(of: Mneme, group: string, args: Fields): unknown {
  if (group === '') return of;
  return group === 'session' ? of.session(String(args['session'])) : of[group as 'admin'];
}

function isIterator(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

type Definition = RawMethod<object, object> & { responseSerialize(message: object): Buffer };

async function rpc(request: Fields, signal: AbortSignal): Promise<unknown> {
  const rpcName = String(request['rpc']);
  const [service = '', name = ''] = rpcName.split('.');
  const definitions = services[service as keyof typeof services] as unknown as Readonly<Record<string, Definition>>;
  const definition = definitions[name.charAt(0).toLowerCase() + name.slice(1)];
  if (!definition) throw new TypeError(`no method ${rpcName}`);
  const descriptor = methodOf(rpcName);
  const message = definition.requestDeserialize(bytesOf(descriptor, 'input', request['request'] as never));
  const options: CallOptions = { signal };
  const answered = await clientOf(request).raw(definition, message, options);
  return jsonOf(descriptor, 'output', definition.responseSerialize(answered));
}
