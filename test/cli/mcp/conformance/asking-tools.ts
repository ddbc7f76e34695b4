/** Tools that ask the client in the middle of a call, as revision 2025-11-25 does. */
import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import * as z from 'zod';

type Elicitation = Parameters<ServerContext['mcpReq']['elicitInput']>[0];
type Schema = Extract<Elicitation, { requestedSchema: unknown }>['requestedSchema'];

export function addAskingTools(server: McpServer): void {
  server.registerTool(
    'test_sampling',
    { description: 'Asks a model', inputSchema: z.object({ prompt: z.string() }) },
    async ({ prompt }, { mcpReq }) => {
      const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: prompt } }];
      const params = { messages, maxTokens: 100 };
      const { content } = await mcpReq.send({ method: 'sampling/createMessage', params });
      return { content: [{ type: 'text', text: `LLM response: ${JSON.stringify(content)}` }] };
    },
  );
  server.registerTool(
    'test_elicitation',
    { description: 'Asks a person', inputSchema: z.object({ message: z.string() }) },
    ({ message }, context) =>
      elicited(context, message, {
        type: 'object',
        properties: { response: { type: 'string' } },
        required: ['response'],
      }),
  );
  const forms: Readonly<Record<string, Schema>> = {
    test_elicitation_sep1034_defaults: DEFAULTS,
    test_elicitation_sep1330_enums: ENUMS,
  };
  for (const [name, schema] of Object.entries(forms)) {
    server.registerTool(name, { description: 'Asks a person', inputSchema: z.object({}) }, (_, context) =>
      elicited(context, 'Please fill in the form', schema),
    );
  }
}

async function elicited({ mcpReq }: ServerContext, message: string, requestedSchema: Schema) {
  const params = { mode: 'form', message, requestedSchema };
  // On the stream of the call: the one of the session may not be open yet.
  const { action, content } = await mcpReq.send({ method: 'elicitation/create', params });
  const text = `Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`;
  return { content: [{ type: 'text' as const, text }] };
}

const DEFAULTS: Schema = {
  type: 'object',
  properties: {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  },
};

const OPTIONS = ['option1', 'option2', 'option3'];
const TITLED = [1, 2, 3].map((n) => ({ const: `value${n}`, title: `Option ${n}` }));

const ENUMS: Schema = {
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', enum: OPTIONS },
    titledSingle: { type: 'string', oneOf: TITLED },
    legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['Option 1', 'Option 2', 'Option 3'] },
    untitledMulti: { type: 'array', items: { type: 'string', enum: OPTIONS } },
    titledMulti: { type: 'array', items: { anyOf: TITLED } },
  },
};
