/**
 * Tools that need input of the client before they can answer, as in revision 2026-07-28: each round is a separate call.
 */
import { randomBytes } from 'node:crypto';
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type InputRequests,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';

/** Seals the state that a tool passes to its next round; a server refuses unsealed state. */
export const requestState = createRequestStateCodec<{ round: number }>({ key: randomBytes(32) });

const asks = {
  text: (message: string, property: string) =>
    inputRequired.elicit({
      message,
      requestedSchema: { type: 'object', properties: { [property]: { type: 'string' } }, required: [property] },
    }),
  model: (text: string) =>
    inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens: 100 }),
  confirmation: () =>
    inputRequired.elicit({
      message: 'Please confirm',
      requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
    }),
};

const said = (text: string) => ({ content: [{ type: 'text' as const, text }] });
const has = ({ mcpReq }: ServerContext, key: string) => inputResponse(mcpReq.inputResponses, key).kind !== 'missing';
const sealed = (round: number) => requestState.mint({ round });

type Run = (context: ServerContext) => Promise<ReturnType<typeof said> | ReturnType<typeof inputRequired>>;

const TOOLS: Readonly<Record<string, Run>> = {
  async test_input_required_result_elicitation({ mcpReq }) {
    const answer = acceptedContent(mcpReq.inputResponses, 'user_name', z.object({ name: z.string() }));
    if (answer) return said(`Hello, ${answer.name}!`);
    return inputRequired({ inputRequests: { user_name: asks.text('What is your name?', 'name') } });
  },
  async test_input_required_result_sampling(context) {
    if (!has(context, 'capital_question')) {
      return inputRequired({ inputRequests: { capital_question: asks.model('What is the capital of France?') } });
    }
    return said(JSON.stringify(inputResponse(context.mcpReq.inputResponses, 'capital_question')));
  },
  async test_input_required_result_list_roots(context) {
    if (!has(context, 'client_roots'))
      return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
    return said(JSON.stringify(inputResponse(context.mcpReq.inputResponses, 'client_roots')));
  },
  async test_input_required_result_request_state(context) {
    const state = context.mcpReq.requestState<{ round: number }>();
    if (state?.round === 1 && has(context, 'confirm')) return said('state-ok');
    return inputRequired({ inputRequests: { confirm: asks.confirmation() }, requestState: await sealed(1) });
  },
  async test_input_required_result_tampered_state(context) {
    if (has(context, 'confirm')) return said('state-ok');
    return inputRequired({ inputRequests: { confirm: asks.confirmation() }, requestState: await sealed(1) });
  },
  async test_input_required_result_multiple_inputs(context) {
    const inputRequests: InputRequests = {
      user_name: asks.text('What is your name?', 'name'),
      greeting: asks.model('Generate a greeting'),
      client_roots: inputRequired.listRoots(),
    };
    if (Object.keys(inputRequests).every((key) => has(context, key))) return said('all there');
    return inputRequired({ inputRequests, requestState: await sealed(1) });
  },
  async test_input_required_result_multi_round(context) {
    const round = context.mcpReq.requestState<{ round: number }>()?.round ?? 0;
    if (round === 1 && has(context, 'step1')) {
      const step2 = asks.text('Step 2: What is your favorite color?', 'color');
      return inputRequired({ inputRequests: { step2 }, requestState: await sealed(2) });
    }
    if (round === 2 && has(context, 'step2')) return said('both steps are done');
    const step1 = asks.text('Step 1: What is your name?', 'name');
    return inputRequired({ inputRequests: { step1 }, requestState: await sealed(1) });
  },
  async test_input_required_result_capabilities({ mcpReq }) {
    const envelope = (mcpReq.envelope ?? {}) as Readonly<Record<string, unknown>>;
    const capabilities = (envelope[CLIENT_CAPABILITIES_META_KEY] ?? {}) as Readonly<Record<string, unknown>>;
    const inputRequests: InputRequests = {
      ...('elicitation' in capabilities && { name: asks.text('What is your name?', 'name') }),
      ...('sampling' in capabilities && { greeting: asks.model('Generate a greeting') }),
    };
    return Object.keys(inputRequests).length === 0 ? said('nothing to ask') : inputRequired({ inputRequests });
  },
  async test_missing_capability(context) {
    if (has(context, 'question')) return said('asked');
    return inputRequired({ inputRequests: { question: asks.model('Who is there?') } });
  },
  async test_streaming_elicitation(context) {
    if (has(context, 'user_name')) return said('asked');
    return inputRequired({ inputRequests: { user_name: asks.text('What is your name?', 'name') } });
  },
};

export function addInputTools(server: McpServer): void {
  for (const [name, run] of Object.entries(TOOLS)) {
    server.registerTool(name, { description: name, inputSchema: z.object({}) }, (_, context) => run(context));
  }
  server.registerPrompt('test_input_required_result_prompt', { description: 'Needs input' }, (context) => {
    const answer = acceptedContent(context.mcpReq.inputResponses, 'user_context', z.object({ context: z.string() }));
    if (answer === undefined) {
      const user_context = asks.text('What context should the prompt use?', 'context');
      return inputRequired({ inputRequests: { user_context } });
    }
    return { messages: [{ role: 'user', content: { type: 'text', text: `In the context of ${answer.context}` } }] };
  });
}
