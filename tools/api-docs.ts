/** Makes docs/api from the protos: one page for each file of proto/, an index, and the errors by status. Usage: node tools/api-docs.ts FOLDER */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFileRegistry, fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { type Book, bookOf, ownFilesOf } from './api-docs/book.ts';
import { commentOf } from './api-docs/comments.ts';
import { errorsPage, reasonsOf } from './api-docs/errors.ts';
import { MADE_BY, pageOf, table } from './api-docs/pages.ts';
import { firstSentence, type Prose, proseOf } from './api-docs/prose.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node tools/api-docs.ts FOLDER');

const image = execFileSync('buf', ['build', 'proto', '--as-file-descriptor-set', '-o', '-'], { maxBuffer: 64 << 20 });
const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, image));
const book = bookOf(ownFilesOf(registry, (name) => existsSync(`proto/${name}.proto`)));
const prose = proseOf(book);

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const page of book.pages) writeFileSync(join(folder, page.name), pageOf(page, book, prose));
const reasons = reasonsOf(book);
if (reasons === undefined)
  throw new Error('no enum lists the reasons of errors: each value begins with a status, "NOT_FOUND: …"');
writeFileSync(join(folder, 'errors.md'), errorsPage(reasons, book, prose));
writeFileSync(join(folder, 'README.md'), indexOf(book, prose));

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
    table(['Service', 'What it is for', 'Methods'], services),
    '## Shared messages',
    table(['Page', 'What it describes'], shared),
  ]
    .join('\n\n')
    .concat('\n');
}
