/**
 * One request for each method: the example in its comment, which is indented JSON after a paragraph that begins with
 * "Example", or that of requests.jsonl.
 */
import { readFileSync } from 'node:fs';
import { type DescMethod, fromJson, type JsonValue, type Registry, toJson } from '@bufbuild/protobuf';
import { commentOf } from './comments.ts';

export interface Example {
  readonly method: DescMethod;
  /** In the standard JSON form, with the names of JSON and field masks as texts. */
  readonly request: JsonValue;
}

/** In an order in which all of them succeed on an empty server, but for those that name an id that the server makes. */
export function examplesOf(registry: Registry): readonly Example[] {
  const lines = readFileSync(new URL('requests.jsonl', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line) => {
    const [name = '', listed] = JSON.parse(line) as [string, JsonValue?];
    const [service = '', called = ''] = name.split('.');
    const method = registry.getService(`mneme.v1.${service}`)?.methods.find((each) => each.name === called);
    if (method === undefined) throw new Error(`requests.jsonl: ${name} is no method`);
    const request = listed ?? exampleIn(method);
    if (request === undefined) throw new Error(`${name}: neither its comment nor requests.jsonl has an example`);
    return { method, request: toJson(method.input, fromJson(method.input, request, { registry }), { registry }) };
  });
}

/** Paragraphs of a comment, without its example, and the example as it is written. */
export function withoutExample(comment: string): { readonly text: string; readonly example?: string } {
  const paragraphs = comment.split(/\n\s*\n/);
  const at = paragraphs.findIndex((text) => /^Example\b/.test(text));
  const example = paragraphs[at + 1];
  if (at < 0 || example === undefined || !/^ {4}/.test(example)) return { text: comment };
  return { text: paragraphs.toSpliced(at, 2).join('\n\n'), example };
}

function exampleIn(method: DescMethod): JsonValue | undefined {
  const { example } = withoutExample(commentOf(method));
  return example === undefined ? undefined : standardJsonOf(example);
}

/** Field masks are written in the form of grpcurl, `{"paths": ["text", "tags"]}`; standard JSON has `"text,tags"`. */
function standardJsonOf(json: string): JsonValue {
  const isMask = (value: unknown): value is { paths: string[] } =>
    typeof value === 'object' && value !== null && 'paths' in value && Array.isArray(value.paths);
  const camelCase = (path: string) => path.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return JSON.parse(json, (_, value: unknown) =>
    isMask(value) ? value.paths.map(camelCase).join(',') : value,
  ) as JsonValue;
}
