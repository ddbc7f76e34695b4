import {
  JSON_HEADING,
  MARKDOWN_HEADING,
  MARKDOWN_ITEM,
  MARKDOWN_QUOTE,
  XML_CLOSING,
  XML_OPENING,
} from './context/formats.ts';

/**
 * Detects remembered text in a conversation, so that it is not extracted again. Contexts carry their mark with them
 * (`context/formats.ts`): no record of issued contexts is needed, and a repeated extraction decides the same, also
 * after a crash and on another replica.
 */

const XML = new RegExp(
  `${escaped(XML_OPENING)}[^<]*(?:<entry(?: [^<>]*)?>[^<]*</entry>[^<]*)*${escaped(XML_CLOSING)}`,
  'g',
);
const MARKDOWN = new RegExp(
  `^${escaped(MARKDOWN_HEADING)}[ \\t]*$(?:\\n+${escaped(MARKDOWN_ITEM)}[^\\n]*(?:\\n${escaped(MARKDOWN_QUOTE.trimEnd())}[^\\n]*)+)*`,
  'gm',
);
const JSON_LINES = new RegExp(`^${escaped(JSON_HEADING)}[ \\t]*$(?:\\n\\{[^\\n]*"text":"[^\\n]*\\}[ \\t]*$)*`, 'gm');

/** The text without the contexts of BuildContext in it, in any of the formats; a text without any is returned as it is. */
export function withoutContexts(text: string): string {
  if (!text.includes(XML_OPENING) && !text.includes(MARKDOWN_HEADING) && !text.includes(JSON_HEADING)) return text;
  return text
    .replaceAll('\r\n', '\n')
    .replace(XML, '')
    .replace(MARKDOWN, '')
    .replace(JSON_LINES, '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
