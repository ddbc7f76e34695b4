/** Comments of protos as Markdown: names of the API become links, and what is said of defaults has a column of its own. */
import type { DescMessage } from '@bufbuild/protobuf';
import type { Book, Declared } from './book.ts';

export interface Prose {
  /** As paragraphs. */
  paragraphs(comment: string, around: Declared): string;
  /** As one cell of a table. */
  cell(comment: string, around: Declared): string;
}

/** Links what stands in backticks and is a declaration: `Memory`, `Memory.text`, `MemoryService.Store`. */
export function proseOf(book: Book): Prose {
  const named = new Map<string, Declared | 'several'>();
  for (const { desc } of book.pages.flatMap(({ sections }) => sections)) {
    const names = 'typeName' in desc ? [desc.name, desc.typeName] : [`${desc.parent.name}.${desc.name}`, desc.name];
    for (const name of names) named.set(name, named.has(name) && named.get(name) !== desc ? 'several' : desc);
  }
  const declaredAs = (name: string) => {
    const [found, ofField] = [named.get(name), named.get(name.split('.')[0] ?? '')];
    if (found !== undefined) return found === 'several' ? undefined : found;
    if (ofField === undefined || ofField === 'several' || ofField.kind !== 'message') return undefined;
    return hasField(ofField, name.split('.')[1]) ? ofField : undefined;
  };
  const linked = (text: string, around: Declared) =>
    text.replace(/`([A-Z]\w*(?:\.\w+)*)`/g, (code: string, name: string) => {
      const target = declaredAs(name);
      const link = target === undefined || target === around ? undefined : book.linkTo(target);
      return link === undefined ? code : `[${code}](${link})`;
    });
  return {
    paragraphs: (comment, around) => linked(blocksOf(comment).join('\n\n'), around),
    cell: (comment, around) =>
      linked(blocksOf(comment).join('<br>'), around).replaceAll('|', '\\|').replaceAll('\n', '<br>'),
  };
}

/** The comment with lines as long as its paragraphs, and names as they are written. */
export function plain(comment: string): string {
  return blocksOf(comment).join('\n\n');
}

/** What a field is when it is not given, taken out of its comment: `Required`, or what stands behind `Default`. */
export function splitDefault(comment: string): { readonly meaning: string; readonly fallback: string } {
  const required = /(?:^|\s)Required(?: there)?\.(?=\s|$)/.exec(comment);
  if (required !== null) return { meaning: without(comment, required), fallback: 'required' };
  const stated = /(?:^|\s)Default(?: is)?:?\s((?:[^.]|\.(?=\S))+)\.(?=\s|$)/.exec(comment);
  if (stated === null) return { meaning: comment, fallback: '' };
  return { meaning: without(comment, stated), fallback: (stated[1] ?? '').replace(/\s+/g, ' ') };
}

/** The first sentence, for lists. */
export function firstSentence(comment: string): string {
  const text = (comment.split(/\n\s*\n/)[0] ?? '').replace(/\s+/g, ' ');
  return /^(?:[^.]|\.(?=\S))*\.?/.exec(text)?.[0] ?? '';
}

function without(comment: string, { index, 0: found }: RegExpExecArray): string {
  const before = comment.slice(0, index);
  return `${before}${comment.slice(index + found.length)}`.trim();
}

/** Paragraphs and lists; what is said of errors begins a paragraph of its own. */
function blocksOf(comment: string): string[] {
  return comment
    .split(/\n\s*\n/)
    .flatMap((block) => block.split(/(?<=\.)\s+(?=Errors\b[^.:]*:)/))
    .map((block) => (/^\s*([-*]|\d+\.) |^ {4}|^```/m.test(block) ? block : block.replace(/\s*\n\s*/g, ' ').trim()))
    .map((block) => block.replace(/^(Errors\b[^:]*:)/, '**$1**'))
    .filter((block) => block !== '');
}

function hasField(message: DescMessage, name: string | undefined): boolean {
  return message.fields.some((field) => field.name === name);
}
