/** The pages of docs/api as Markdown. */
import { type DescEnum, type DescField, type DescMessage, type DescMethod, ScalarType } from '@bufbuild/protobuf';
import { type Book, type Declared, headingOf, type Page, REST_HEADING, type Section } from './book.ts';
import { callsSection } from './calls.ts';
import { commentOf } from './comments.ts';
import { type Example, withoutExample } from './examples.ts';
import { firstSentence, type Prose, splitDefault } from './prose.ts';
import { table } from './table.ts';

export const MADE_BY = '<!-- Made by `make docs` from the comments in proto/. -->';
const WELL_KNOWN = 'https://protobuf.dev/reference/protobuf/google.protobuf/';

export function pageOf(page: Page, book: Book, prose: Prose, examples: readonly Example[]): string {
  const intro = page.file.services.length > 0 ? [] : [commentOf(page.file)];
  const methods = page.sections.flatMap(({ desc }) => (desc.kind === 'rpc' ? [desc] : []));
  const direct = new Set<Declared>(methods.flatMap((method) => [method, method.parent, method.input, method.output]));
  const written = (sections: readonly Section[]) =>
    sections.flatMap((section) => sectionOf(section, page, book, prose, examples));
  const rest = page.sections.filter(({ desc }) => !direct.has(desc));
  const heading = methods.length > 0 && rest.length > 0 ? [`## ${REST_HEADING}`] : [];
  const parts = [
    ...intro,
    ...written(page.sections.filter(({ desc }) => direct.has(desc))),
    ...heading,
    ...written(rest),
  ];
  return `${[MADE_BY, `# ${page.title}`, source(page), ...parts].filter((part) => part !== '').join('\n\n')}\n`;
}

function source({ file }: Page): string {
  const path = `proto/${file.name}.proto`;
  return `Package \`${file.proto.package}\`, [${path}](../../${path}). [All of the API](README.md).`;
}

function sectionOf(
  { desc, level }: Section,
  page: Page,
  book: Book,
  prose: Prose,
  examples: readonly Example[],
): string[] {
  const written = desc.kind === 'rpc' ? withoutExample(commentOf(desc)).text : commentOf(desc);
  const comment = prose.paragraphs(written, desc);
  const heading = `${'#'.repeat(level)} ${headingOf(desc)}`;
  switch (desc.kind) {
    case 'service': {
      const rows = desc.methods.map((method) => [
        `[${method.name}](${anchorIn(page, method)})`,
        streamsOf(method),
        prose.cell(firstSentence(commentOf(method)), desc),
      ]);
      return [...(level > 1 ? [heading] : []), comment, table(['Method', 'Kind', 'What it does'], rows)];
    }
    case 'rpc':
      return [heading, signatureOf(desc, book), comment, ...callsOfMethod(desc, examples)];
    case 'message':
      return [heading, comment, fieldsOf(desc, book, prose)];
    case 'enum':
      return [heading, comment, valuesOf(desc, prose)];
  }
}

/** Methods of gRPC itself have neither examples nor calls of clients. */
function callsOfMethod(method: DescMethod, examples: readonly Example[]): readonly string[] {
  if (!method.parent.typeName.startsWith('mneme.')) return [];
  return callsSection(method, examples.find((example) => example.method === method)?.request);
}

function anchorIn(page: Page, desc: Declared): string {
  return `#${page.sections.find((section) => section.desc === desc)?.anchor ?? ''}`;
}

function streamsOf({ methodKind }: DescMethod): string {
  switch (methodKind) {
    case 'unary':
      return 'one answer';
    case 'server_streaming':
      return 'answers as a stream';
    case 'client_streaming':
      return 'requests as a stream';
    case 'bidi_streaming':
      return 'streams both ways';
  }
}

function signatureOf({ name, input, output, methodKind }: DescMethod, book: Book): string {
  const takes = methodKind === 'client_streaming' || methodKind === 'bidi_streaming' ? 'stream of ' : '';
  const gives = methodKind === 'server_streaming' || methodKind === 'bidi_streaming' ? 'stream of ' : '';
  return `\`${name}\`: ${takes}${typeLink(input, book)} → ${gives}${typeLink(output, book)}`;
}

function fieldsOf(message: DescMessage, book: Book, prose: Prose): string {
  if (message.fields.length === 0) return 'No fields.';
  const choices = message.oneofs.map((oneof) => {
    const names = oneof.fields.map(({ name }) => `\`${name}\``).join(', ');
    return `One of \`${oneof.name}\`: ${names}. ${prose.paragraphs(commentOf(oneof), message)}`.trim();
  });
  const rows = message.fields.map((field) => {
    const { meaning, fallback } = splitDefault(commentOf(field));
    return [`\`${field.name}\``, typeOf(field, book), prose.cell(meaning, message), prose.cell(fallback, message)];
  });
  // Answers have no defaults.
  const columns = ['Field', 'Type', 'Meaning', ...(rows.some((row) => row[3] !== '') ? ['Default'] : [])];
  return [
    ...choices,
    table(
      columns,
      rows.map((row) => row.slice(0, columns.length)),
    ),
  ].join('\n\n');
}

function valuesOf(desc: DescEnum, prose: Prose): string {
  const rows = desc.values.map((value) => [`\`${value.name}\``, `${value.number}`, prose.cell(commentOf(value), desc)]);
  return table(['Value', 'Number', 'Meaning'], rows);
}

function typeOf(field: DescField, book: Book): string {
  const within = field.oneof === undefined ? '' : ` (one of \`${field.oneof.name}\`)`;
  switch (field.fieldKind) {
    case 'scalar':
      return `${scalarName(field.scalar)}${field.proto.proto3Optional ? ', optional' : ''}${within}`;
    case 'enum':
      return `${typeLink(field.enum, book)}${field.proto.proto3Optional ? ', optional' : ''}${within}`;
    case 'message':
      return `${typeLink(field.message, book)}${within}`;
    case 'list':
      return `list of ${elementOf(field, book)}`;
    case 'map':
      return `map from ${scalarName(field.mapKey)} to ${elementOf(field, book)}`;
  }
}

function elementOf(field: DescField & { fieldKind: 'list' | 'map' }, book: Book): string {
  if (field.message !== undefined) return typeLink(field.message, book);
  return field.enum !== undefined ? typeLink(field.enum, book) : scalarName(field.scalar);
}

function scalarName(scalar: ScalarType): string {
  return (ScalarType[scalar] ?? '').toLowerCase();
}

function typeLink(type: DescMessage | DescEnum, book: Book): string {
  const link = book.linkTo(type);
  if (link !== undefined) return `[${headingOf(type)}](${link})`;
  const { typeName, name } = type;
  return typeName.startsWith('google.protobuf.') ? `[${name}](${WELL_KNOWN}#${name.toLowerCase()})` : `\`${typeName}\``;
}
