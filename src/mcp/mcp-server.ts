import { McpServer, type ServerOptions } from '@modelcontextprotocol/server';
import { forgetTool, recallTool, rememberTool, supersedeTool, updateTool } from './memory-tools.ts';
import { registerResources } from './resources.ts';
import { registerSubscriptions } from './subscriptions.ts';
import { type McpDeps, registerTool } from './tool.ts';
import { addNotesTool, deleteTool, getTool, listNotesTool, listTool, setTool } from './working-memory-tools.ts';

const INSTRUCTIONS =
  'A long-term memory. Recall before you answer anything that may have come up before; remember what will matter later, ' +
  'one statement at a time; supersede what has changed. Working memory keeps values and notes of one session by key.';

const CAPABILITIES = { tools: { listChanged: false }, resources: { listChanged: false, subscribe: true } };

/** A server of one connection or request; all share the client of Mneme. `more`: what a server has that adds to this one. */
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
