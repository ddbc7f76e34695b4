/**
 * Makes docs/api from the protos, one page for each file of proto/, an index, and the errors by status; and docs/openapi.json.
 * Usage: node tools/api-docs.ts DOCS
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFileRegistry, fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { type Book, bookOf, ownFilesOf } from './api-docs/book.ts';
import { commentOf } from './api-docs/comments.ts';
import { errorsPage, reasonsOf } from './api-docs/errors.ts';
import { examplesOf } from './api-docs/examples.ts';
import { openApiOf } from './api-docs/openapi.ts';
import { MADE_BY, pageOf } from './api-docs/pages.ts';
import { firstSentence, type Prose, proseOf } from './api-docs/prose.ts';
import { table } from './api-docs/table.ts';

const [docs] = process.argv.slice(2);
if (docs === undefined) throw new Error('usage: node tools/api-docs.ts DOCS');
const folder = join(docs, 'api');

const image = execFileSync('buf', ['build', 'proto', '--as-file-descriptor-set', '-o', '-'], { maxBuffer: 64 << 20 });
const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, image));
const book = bookOf(ownFilesOf(registry, (name) => existsSync(`proto/${name}.proto`)));
const prose = proseOf(book);
const examples = examplesOf(registry);

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const page of book.pages) writeFileSync(join(folder, page.name), pageOf(page, book, prose, examples));
const reasons = reasonsOf(book);
if (reasons === undefined)
  throw new Error('no enum lists the reasons of errors: each value begins with a status, "NOT_FOUND: …"');
writeFileSync(join(folder, 'errors.md'), errorsPage(reasons, book, prose));
writeFileSync(join(folder, 'README.md'), indexOf(book, prose));
writeFileSync(join(docs, 'openapi.json'), openApiOf(book, reasons, examples));

function indexOf({ pages }: Book, { cell }: Prose): string {
  const services = pages.flatMap(({ name, file }) =>
    file.services.map((service) => [
      `[${service.name}](${name})`,
      cell(firstSentence(commentOf(service)), service),
      service.methods.map((method) => `[${method.name}](${book.linkTo(method) ?? ''})`).join(', '),
    ]),
  );
  const shared = pages
    .filter(({ file }) => file.services.length === 0)
    .map(({ name, title, file }) => [`[${title}](${name})`, firstSentence(commentOf(file))]);
  return [
    MADE_BY,
    '# API reference',
    'The services of Mneme, from the comments of [proto/](../../proto/). In the tables of fields, "Default" says what holds when a field is not given; ' +
      'limits are part of the meaning, with their unit. What a call may fail with is listed by status and reason in [errors](errors.md).',
    'Each method has a command that calls it, and its name in every client. The requests are proto3 JSON, which may also name fields as the protos ' +
      'do; a server has the same as OpenAPI at `/openapi.json` ([the document](../openapi.json)). Methods that stream are called by `grpcurl`.',
    table(['Service', 'What it is for', 'Methods'], services),
    '## Shared messages',
    table(['Page', 'What it describes'], shared),
  ]
    .join('\n\n')
    .concat('\n');
}
