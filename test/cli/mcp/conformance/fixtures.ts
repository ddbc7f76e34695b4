/**
 * Tools, prompts and resources that `@modelcontextprotocol/conformance` requires of every server, in addition to those
 * of Mneme.
 */
import { fromJsonSchema, type McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { addAskingTools } from './asking-tools.ts';
import { addInputTools } from './input-tools.ts';
import schemas from './schemas.json' with { type: 'json' };

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
/** A WAV file without samples. */
const SILENCE = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';

export function addFixtures(server: McpServer): void {
  addContents(server);
  addReports(server);
  addSchemas(server);
  addAskingTools(server);
  addInputTools(server);
  addResources(server);
  addPrompts(server);
}

function addContents(server: McpServer): void {
  const image = { type: 'image' as const, data: PIXEL, mimeType: 'image/png' };
  const embedded = (uri: string) => ({
    type: 'resource' as const,
    resource: { uri, mimeType: 'text/plain', text: 'An embedded resource.' },
  });
  const contents = {
    test_simple_text: [{ type: 'text' as const, text: 'This is a simple text response for testing.' }],
    test_image_content: [image],
    test_audio_content: [{ type: 'audio' as const, data: SILENCE, mimeType: 'audio/wav' }],
    test_embedded_resource: [embedded('test://embedded-resource')],
    test_multiple_content_types: [
      { type: 'text' as const, text: 'Several types:' },
      image,
      embedded('test://mixed-content-resource'),
    ],
  };
  for (const [name, content] of Object.entries(contents)) {
    server.registerTool(name, { description: name }, () => ({ content }));
  }
}

function addReports(server: McpServer): void {
  server.registerTool('test_error_handling', { description: 'Fails' }, () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  for (const name of ['test_tool_with_logging', 'test_logging_tool']) {
    server.registerTool(name, { description: 'Logs', inputSchema: z.object({}) }, async (_, { mcpReq }) => {
      for (const step of ['started', 'goes on', 'done']) await mcpReq.log('info', step);
      return { content: [{ type: 'text', text: 'logged' }] };
    });
  }
  server.registerTool(
    'test_tool_with_progress',
    { description: 'Reports progress', inputSchema: z.object({}) },
    async (_, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
      }
      return { content: [{ type: 'text', text: 'done' }] };
    },
  );
}

/** Schemas whose keywords must arrive at clients, and an argument that clients repeat in a header. */
function addSchemas(server: McpServer): void {
  const schemaOf = (schema: object) => fromJsonSchema(schema as Parameters<typeof fromJsonSchema>[0]);
  const ok = () => ({ content: [{ type: 'text' as const, text: 'ok' }] });
  server.registerTool(
    'json_schema_2020_12_tool',
    { description: 'Has a schema', inputSchema: schemaOf(schemas.keywords) },
    ok,
  );
  server.registerTool('test_headers', { description: 'Has a header', inputSchema: schemaOf(schemas.header) }, ok);
}

function addResources(server: McpServer): void {
  const text = (uri: string) => ({ contents: [{ uri, mimeType: 'text/plain', text: 'This is a static text.' }] });
  server.registerResource('static-text', 'test://static-text', { mimeType: 'text/plain' }, ({ href }) => text(href));
  server.registerResource('static-binary', 'test://static-binary', { mimeType: 'image/png' }, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'image/png', blob: PIXEL }],
  }));
  server.registerResource('watched', 'test://watched-resource', { mimeType: 'text/plain' }, ({ href }) => text(href));
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { mimeType: 'application/json' },
    ({ href }, { id }) => {
      if (typeof id !== 'string') throw new ResourceNotFoundError(href);
      return {
        contents: [{ uri: href, mimeType: 'application/json', text: JSON.stringify({ id, data: `of ${id}` }) }],
      };
    },
  );
}

function addPrompts(server: McpServer): void {
  const says = (text: string) => ({ role: 'user' as const, content: { type: 'text' as const, text } });
  server.registerPrompt('test_simple_prompt', { description: 'Simple' }, () => ({
    messages: [says('This is a simple prompt for testing.')],
  }));
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'With arguments', argsSchema: z.object({ arg1: z.string(), arg2: z.string() }) },
    ({ arg1, arg2 }) => ({ messages: [says(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] }),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'With a resource', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri: uri }) => ({
      messages: [
        { role: 'user', content: { type: 'resource', resource: { uri, mimeType: 'text/plain', text: 'Embedded.' } } },
        says('Please process the embedded resource above.'),
      ],
    }),
  );
  server.registerPrompt('test_prompt_with_image', { description: 'With an image' }, () => ({
    messages: [
      { role: 'user', content: { type: 'image', data: PIXEL, mimeType: 'image/png' } },
      says('Please analyze the image above.'),
    ],
  }));
}
