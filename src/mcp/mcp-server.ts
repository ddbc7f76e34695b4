import { McpServer } from '@modelcontextprotocol/server';
import { recallTool } from './recall-tool.ts';
import { rememberTool } from './remember-tool.ts';
import { type McpDeps, registerTool } from './tool.ts';

const INSTRUCTIONS =
  'A long-term memory. Recall before you answer anything that may have come up before; remember what will matter later, ' +
  'one statement at a time.';

/** A server of one connection or request; all share the client of Mneme. */
export function createMnemeMcpServer(deps: McpDeps): McpServer {
  const server = new McpServer(
    { name: 'mneme', title: 'Mneme', version: deps.version },
    { instructions: INSTRUCTIONS, capabilities: { tools: { listChanged: false } } },
  );
  server.server.onerror = deps.onError;
  registerTool(server, deps, rememberTool);
  registerTool(server, deps, recallTool);
  return server;
}
