import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { createMnemeMcpServer } from './mcp-server.ts';
import type { McpDeps } from './tool.ts';

/** Most bytes of one message. */
const MESSAGE_BYTES_MAX = 4 * 1024 * 1024;

export interface ServedConnection {
  /** Resolves when the other side has gone, or after `close`. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** Serves MCP on standard input and output until the host closes them. */
export function serveOverStdio(deps: McpDeps): ServedConnection {
  const transport = new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: MESSAGE_BYTES_MAX });
  const ended = Promise.withResolvers<void>();
  process.stdin.once('end', ended.resolve).once('close', ended.resolve);
  const handle = serveStdio(() => createMnemeMcpServer(deps), { transport, onerror: deps.onError });
  return {
    closed: ended.promise,
    async close() {
      await handle.close();
      ended.resolve();
    },
  };
}
