import type { CallToolResult, McpServer, StandardSchemaWithJSON, ToolAnnotations } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { type CallOptions, type Mneme, MnemeError } from '../../../clients/typescript/src/index.ts';
import {
  type ArgumentAliases,
  type JsonSchema,
  readArguments,
} from '../../../clients/typescript/src/tool-arguments.ts';
import type { RecallWatches } from './recall-watches.ts';
import type { ServedNamespaces } from './served-namespaces.ts';

/** Dependencies of tools and resources. */
export interface McpDeps extends ServedNamespaces {
  /** Puts a failure to reach that server into words. */
  readonly explain: (error: unknown) => Promise<unknown>;
  /** Called with errors outside of any call. */
  readonly onError: (error: unknown) => void;
  readonly version: string;
  /** Recalls that connections have subscribed to. */
  readonly watches: RecallWatches;
}

export interface Answer<Output> {
  /** For a model that reads only text. */
  readonly text: string;
  readonly structured: Output;
}

/** Hints for hosts: whether a call changes or deletes data, and whether repeating it changes more. */
export const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
export const ADDS = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };
export const CHANGES = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false };

export interface Tool<Input extends z.ZodObject, Output extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly annotations: ToolAnnotations;
  readonly input: Input;
  /** Other names of arguments that models send. */
  readonly aliases?: ArgumentAliases;
  readonly output: Output;
  readonly run: (
    mneme: Mneme,
    input: z.infer<Input>,
    options: CallOptions,
  ) => Promise<Answer<z.infer<Output> & Record<string, unknown>>>;
}

/** Registers the tool; its failures are answers of the tool, not protocol errors. */
export function registerTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  server: McpServer,
  { mneme, explain }: McpDeps,
  tool: Tool<Input, Output>,
): void {
  const { name, title, description, annotations, run } = tool;
  const inputSchema = lenient(tool);
  // As the standard that Zod follows: the overloads of the SDK cannot be resolved for a type parameter.
  const outputSchema: StandardSchemaWithJSON = tool.output;
  server.registerTool(name, { title, description, annotations, inputSchema, outputSchema }, async (input, context) => {
    try {
      const { text, structured } = await run(mneme, input as z.infer<Input>, { signal: context.mcpReq.signal });
      return { content: [{ type: 'text' as const, text }], structuredContent: structured };
    } catch (error) {
      return toolError(await explain(error));
    }
  });
}

/** The schema of the input, which takes arguments as models send them (`readArguments`). */
function lenient({
  input,
  aliases,
}: Pick<Tool<z.ZodObject, z.ZodObject>, 'input' | 'aliases'>): StandardSchemaWithJSON {
  const standard: StandardSchemaWithJSON['~standard'] = input['~standard'];
  const schema = inputSchemaOf(input);
  return {
    '~standard': { ...standard, validate: (value) => standard.validate(readArguments(schema, value, aliases)) },
  };
}

/** JSON Schema of the arguments of a tool, as models read it. */
export function inputSchemaOf(input: z.ZodObject): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input' });
  return schema as JsonSchema;
}

/** An error that a model can act upon: the field, the problem and the limit. */
function toolError(error: unknown): CallToolResult {
  return { isError: true, content: [{ type: 'text', text: errorText(error) }] };
}

export function errorText(error: unknown): string {
  if (!(error instanceof MnemeError)) return error instanceof Error ? error.message : String(error);
  const { code, reason, violations } = error;
  const what =
    violations.length === 0
      ? error.message
      : violations.map(({ field, description }) => `${argumentOf(field)}: ${description}`).join('; ');
  const again = error.retryable ? ` ${againText(error.retryDelayMs)}` : '';
  return `${what.replace(/[\s]*$/, '').replace(/(?<![.?!])$/, '.')}${again} (${reason ?? code})`;
}

function againText(delayMs = 0): string {
  return delayMs > 0 ? `Try again in ${Math.ceil(delayMs / 1000)} s.` : 'Try again.';
}

/** The argument of a tool from which a field of a request was made. */
function argumentOf(field: string): string {
  return field
    .replace(/^requests\[(\d+)\]\.memory\b\.?/, 'memories[$1].')
    .replace(/^(?:memory|query)\./, '')
    .replace(/\bsource\.(speaker)\b/, '$1')
    .replace(/\bscope\.(session)\b/, '$1')
    .replace(/\.$/, '');
}
