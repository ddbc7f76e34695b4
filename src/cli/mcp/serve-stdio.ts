import {
  type JSONRPCMessage,
  McpServer,
  type ProtocolError,
  type ServerOptions,
  type Transport,
} from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { memoryStatsTool, recordOutcomeTool, reflectTool, searchProceduresTool } from './agent-tools.ts';
import { forgetTool, recallTool, rememberTool, supersedeTool, updateTool } from './memory-tools.ts';
import { MessageLines } from './message-lines.ts';
import { answered, registerResources } from './resources.ts';
import { Listens, registerSubscriptions, urisOfListen } from './subscriptions.ts';
import { type McpDeps, registerTool } from './tool.ts';
import { addNotesTool, deleteTool, getTool, listNotesTool, listTool, setTool } from './working-memory-tools.ts';

/** Most bytes of one message. */
const MESSAGE_BYTES_MAX = 4 * 1024 * 1024;
/** What the SDK may hold: the lines that one piece of the input completes. */
const BUFFER_BYTES_MAX = 2 * MESSAGE_BYTES_MAX;
/** Most `subscriptions/listen` at the same time. */
const LISTENS_MAX = 50;

export interface ServedConnection {
  /** Resolves when the client has disconnected, or after `close`. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** Serves MCP on standard input and output until the host closes them. */
export function serveOverStdio(deps: McpDeps): ServedConnection {
  const ended = Promise.withResolvers<void>();
  const lines = new MessageLines(MESSAGE_BYTES_MAX, ({ id, code, message }) => {
    // The type of the SDK has no id for an answer to a message whose id cannot be read; JSON-RPC has null.
    const answer = { jsonrpc: '2.0', id, error: { code, message } } as JSONRPCMessage;
    void wire.send(answer).catch(deps.onError);
  });
  process.stdin.pipe(lines);
  const wire = new StdioServerTransport(lines, process.stdout, { maxBufferSize: BUFFER_BYTES_MAX });
  process.stdin.once('end', ended.resolve).once('close', ended.resolve).once('error', deps.onError);
  let server: McpServer | undefined;
  const listens = new Listens(deps, (uri) => void server?.server.sendResourceUpdated({ uri }).catch(deps.onError));
  const create = () => {
    server = createMnemeMcpServer(deps);
    return server;
  };
  const transport = new ListeningTransport(wire, deps, listens, ended.resolve);
  const handle = serveStdio(create, { transport, onerror: deps.onError, maxSubscriptions: LISTENS_MAX });
  return {
    closed: ended.promise,
    async close() {
      listens.closeAll();
      await handle.close();
      // An open standard input keeps the process alive as long as it is read.
      process.stdin.unpipe(lines).pause();
      ended.resolve();
    },
  };
}

/** Asks the recalls of a `subscriptions/listen` before the SDK acknowledges it, so that no change is missed after that. */
class ListeningTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  private readonly wire: StdioServerTransport;
  private readonly deps: McpDeps;
  private readonly listens: Listens;
  private readonly onEnd: () => void;

  /** `onEnd`: called when the connection has ended, for whatever reason. */
  constructor(wire: StdioServerTransport, deps: McpDeps, listens: Listens, onEnd: () => void) {
    this.wire = wire;
    this.deps = deps;
    this.listens = listens;
    this.onEnd = onEnd;
  }

  async start(): Promise<void> {
    this.wire.onclose = () => {
      this.listens.closeAll();
      this.onclose?.();
      this.onEnd();
    };
    this.wire.onerror = (error) => this.onerror?.(error);
    this.wire.onmessage = (message) => this.receive(message);
    await this.wire.start();
  }

  send(message: JSONRPCMessage): Promise<void> {
    return this.wire.send(message);
  }

  close(): Promise<void> {
    return this.wire.close();
  }

  private receive(message: JSONRPCMessage): void {
    if ('method' in message && message.method === 'notifications/cancelled') {
      const { requestId } = (message.params ?? {}) as { requestId?: string | number };
      if (requestId !== undefined) this.listens.close(requestId);
    }
    const isListen = 'method' in message && 'id' in message && message.method === 'subscriptions/listen';
    const uris = isListen ? urisOfListen(message) : [];
    if (isListen && uris.length > 0) void this.listen(message.id, uris, message);
    else this.onmessage?.(message);
  }

  private async listen(id: string | number, uris: readonly string[], message: JSONRPCMessage): Promise<void> {
    try {
      await answered(this.deps, () => this.listens.open(id, uris));
      this.onmessage?.(message);
    } catch (error) {
      const { code, message: what } = error as ProtocolError;
      await this.wire.send({ jsonrpc: '2.0', id, error: { code, message: what } }).catch(this.deps.onError);
    }
  }
}

const INSTRUCTIONS =
  'A long-term memory. Recall before you answer anything that may have come up before; remember what will matter later, ' +
  'one statement at a time; supersede what has changed. Working memory keeps values and notes of one session by key.';

const CAPABILITIES = { tools: { listChanged: false }, resources: { listChanged: false, subscribe: true } };

/**
 * A server of one connection or request; all share the client of Mneme. `more`: the additional options of the server.
 */
export function createMnemeMcpServer(deps: McpDeps, more: ServerOptions = {}): McpServer {
  const server = new McpServer(
    { name: 'mneme', title: 'Mneme', version: deps.version },
    { instructions: INSTRUCTIONS, ...more, capabilities: { ...CAPABILITIES, ...more.capabilities } },
  );
  server.server.onerror = deps.onError;
  registerTool(server, deps, rememberTool);
  registerTool(server, deps, recallTool);
  registerTool(server, deps, forgetTool);
  registerTool(server, deps, updateTool);
  registerTool(server, deps, supersedeTool);
  registerTool(server, deps, searchProceduresTool);
  registerTool(server, deps, recordOutcomeTool);
  registerTool(server, deps, reflectTool);
  registerTool(server, deps, memoryStatsTool);
  registerTool(server, deps, setTool);
  registerTool(server, deps, getTool);
  registerTool(server, deps, listTool);
  registerTool(server, deps, deleteTool);
  registerTool(server, deps, addNotesTool);
  registerTool(server, deps, listNotesTool);
  registerResources(server, deps);
  registerSubscriptions(server, deps);
  return server;
}
