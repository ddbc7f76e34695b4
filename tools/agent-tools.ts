/** Writes the definitions of the tools of agents, from which all clients serve them. Usage: node tools/agent-tools.ts FILE */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { memoryStatsTool, recordOutcomeTool, reflectTool, searchProceduresTool } from '../src/cli/mcp/agent-tools.ts';
import { forgetTool, recallTool, rememberTool } from '../src/cli/mcp/memory-tools.ts';
import { inputSchemaOf } from '../src/cli/mcp/tool.ts';

const TOOLS = [
  rememberTool,
  recallTool,
  forgetTool,
  searchProceduresTool,
  recordOutcomeTool,
  reflectTool,
  memoryStatsTool,
];

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('usage: node tools/agent-tools.ts FILE');
const definitions = TOOLS.map(({ name, description, annotations, input, aliases }) => ({
  name,
  description,
  read_only: annotations.readOnlyHint,
  input_schema: inputSchemaOf(input),
  aliases,
}));
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, `${JSON.stringify(definitions, undefined, 2)}\n`);
