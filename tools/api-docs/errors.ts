/** The page of errors: each reason with its status, what it means, and which methods say that they fail with it. */
import type { DescEnum, DescEnumValue, DescMethod, DescService } from '@bufbuild/protobuf';
import type { Book, Declared } from './book.ts';
import { commentOf } from './comments.ts';
import { MADE_BY } from './pages.ts';
import type { Prose } from './prose.ts';
import { table } from './table.ts';

const OF_STATUS = /^([A-Z][A-Z_]+): /;

/** The list of reasons is the enum whose every value but the first begins with a status. */
export function reasonsOf(book: Book): DescEnum | undefined {
  return book.pages
    .flatMap(({ sections }) => sections.map(({ desc }) => desc))
    .filter((desc) => desc.kind === 'enum')
    .find(({ values }) => values.length > 1 && values.slice(1).every((value) => OF_STATUS.test(commentOf(value))));
}

export function errorsPage(reasons: DescEnum, book: Book, prose: Prose): string {
  const declared = book.pages.flatMap(({ sections }) => sections.map(({ desc }) => desc));
  const rows = reasons.values.slice(1).map((value) => {
    const reason = shortName(value, reasons);
    const comment = commentOf(value);
    return {
      reason,
      status: OF_STATUS.exec(comment)?.[1] ?? '',
      meaning: prose.cell(comment.replace(OF_STATUS, ''), reasons),
      from: namedBy(declared, reason).map((desc) => linkOf(desc, book)),
    };
  });
  rows.sort((a, b) => (`${a.status} ${a.reason}` < `${b.status} ${b.reason}` ? -1 : 1));
  return [
    MADE_BY,
    '# Errors',
    prose.paragraphs(commentOf(reasons), reasons),
    'An error of a field is also described by `google.rpc.BadRequest`: the field, what is wrong with it, and the limit. ' +
      '`google.rpc.RetryInfo` says when to try again. "From" lists the services whose every method may fail so, and single methods.',
    table(
      ['Status', 'Reason', 'Meaning', 'From'],
      rows.map(({ reason, status, meaning, from }) => [status, `\`${reason}\``, meaning, from.join(', ')]),
    ),
  ]
    .join('\n\n')
    .concat('\n');
}

/** Services whose every method may fail so, and single methods of others. */
function namedBy(declared: readonly Declared[], reason: string): readonly (DescService | DescMethod)[] {
  const word = new RegExp(`\\b${reason}\\b`);
  const all = declared.flatMap((desc) => (desc.kind === 'service' || desc.kind === 'rpc' ? [desc] : []));
  const naming = all.filter((desc) => word.test(commentOf(desc)));
  return naming.filter((desc) => desc.kind === 'service' || !naming.includes(desc.parent));
}

function linkOf(desc: DescService | DescMethod, book: Book): string {
  return `[${desc.kind === 'rpc' ? `${desc.parent.name}.${desc.name}` : desc.name}](${book.linkTo(desc) ?? ''})`;
}

/** `ERROR_REASON_FIELD_INVALID` → `FIELD_INVALID`, as it is sent. */
function shortName(value: DescEnumValue, { sharedPrefix = '' }: DescEnum): string {
  return value.name.slice(sharedPrefix.length);
}
