/** How a method is called: by curl or grpcurl, and by each client. */
import type { DescMethod, JsonValue } from '@bufbuild/protobuf';
import { callsOf, camel, pascal, snake } from '../call-names.ts';
import { table } from './table.ts';

const ADDRESS = 'localhost:50051';
const LINE_LENGTH = 90;
const SPELLINGS = { TypeScript: camel, Python: snake, Go: pascal, Java: camel, Rust: snake };

/** A command of a shell, as an indented block, and the names of the call in each language. */
export function callsSection(method: DescMethod, request: JsonValue | undefined): readonly string[] {
  const names = Object.values(SPELLINGS).map((spell) =>
    callsOf(`${method.parent.name}.${method.name}`, spell)
      .map((name) => `\`${name}\``)
      .join(', '),
  );
  const calls = table(['gRPC', ...Object.keys(SPELLINGS)], [[`\`${pathOf(method)}\``, ...names]]);
  return request === undefined ? [calls] : [indented(commandOf(method, request)), calls];
}

export function commandOf(method: DescMethod, request: JsonValue): string {
  const data = `-d '${bodyOf(request).replaceAll("'", String.raw`'\''`)}'`;
  if (method.methodKind !== 'unary') return `grpcurl -plaintext ${data} ${ADDRESS} ${pathOf(method)}`;
  return `curl ${ADDRESS}/${pathOf(method)} -H 'content-type: application/json' ${data}`;
}

function pathOf({ name, parent }: DescMethod): string {
  return `${parent.typeName}/${name}`;
}

/** JSON with what fits into a line on one line. */
function bodyOf(value: JsonValue, margin = ''): string {
  const isList = Array.isArray(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const [open, close] = isList ? '[]' : '{}';
  const entriesAt = (inner: string) =>
    Object.entries(value).map(([name, each]) => `${isList ? '' : `${JSON.stringify(name)}: `}${bodyOf(each, inner)}`);
  const line = `${open}${entriesAt('').join(', ')}${close}`;
  if (!line.includes('\n') && margin.length + line.length <= LINE_LENGTH) return line;
  const inner = `${margin}  `;
  return `${open}\n${inner}${entriesAt(inner).join(`,\n${inner}`)}\n${margin}${close}`;
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '    ');
}
