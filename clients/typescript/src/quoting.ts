/**
 * Remembered text as quoted data, as the server writes contexts: it cannot end its entry, open another one, imitate a role
 * or a fence of code, or hold characters that are not seen.
 */

const LINE_ENDS = /\r\n|[\r\v\f\u0085\u2028\u2029]/g;
/** Format characters, controls, lone surrogates, fillers, and variation selectors except those of emoji. */
const UNSEEN =
  /[\p{Cf}\p{Cs}\u115f\u1160\u2800\u3164\uffa0]|\u034f|\u17b4|\u17b5|[\u180b-\u180d]|\u180f|[\u{e0100}-\u{e01ef}]|(?![\n\t])\p{Cc}/gu;
const ANGLES_OPENING = /[\uff1c\ufe64]/g;
const ANGLES_CLOSING = /[\uff1e\ufe65]/g;
// Each pattern takes time in proportion to the text, whatever the text is.
/** Word of a role with the colon that makes it one, at the beginning of a line. */
const ROLE =
  /^((?:[>*_#|-]|[^\S\n])*(?:system|user|assistant|human|ai|bot|tool|function|developer|model|instructions?)[\s*_]*)([:\uff1a])/gimu;
const FENCE = /`{3,}|~{3,}/g;
const TURN_WORD = '(?:inst|sys|system|system_prompt|user|assistant|available_tools)';
/** Marks of turns in the templates of chat models: `[INST]`, `[/INST]`, `[TOOL_CALLS]`. */
const TURN = new RegExp(
  String.raw`\[(?=\s*(?:/\s*)?(?:[a-z_]+\s+(?:${TURN_WORD}|tool\w*)|[a-z_]*${TURN_WORD}|(?:(?!tool)[a-z_])*tool\w*)\s*\])`,
  'gi',
);
/** Headings, by which instructions are set off: `### Instruction`. */
const HEADING = /^((?:>|[^\S\n])*)#(?=#*\s*\S)/gm;
const ATTRIBUTE_LENGTH = 64;

/** An entry of a context; attributes without a value are left out. */
export function xmlEntry(text: string, attributes: Readonly<Record<string, string | undefined>>): string {
  const written = Object.entries(attributes).map(([name, value]) => (value ? ` ${name}="${attribute(value)}"` : ''));
  return `<entry${written.join('')}>${xmlText(text)}</entry>`;
}

/** Text of an XML element. */
export function xmlText(text: string): string {
  return seen(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(ROLE, (_, role: string, colon: string) => role + entity(colon))
    .replace(FENCE, (fence) => entity(fence[0] ?? '').repeat(fence.length))
    .replace(TURN, entity('['))
    .replace(HEADING, (_, before: string) => before + entity('#'));
}

function attribute(text: string): string {
  const characters = [...seen(text).replaceAll(/\s+/g, ' ')];
  const isLong = characters.length > ATTRIBUTE_LENGTH;
  const short = isLong ? `${characters.slice(0, ATTRIBUTE_LENGTH - 1).join('')}…` : characters.join('');
  return xmlText(short).replaceAll('"', '&quot;').replaceAll("'", '&#39;');
}

function seen(text: string): string {
  return text
    .replace(LINE_ENDS, '\n')
    .replace(UNSEEN, '')
    .replace(ANGLES_OPENING, '<')
    .replace(ANGLES_CLOSING, '>')
    .trim();
}

function entity(character: string): string {
  return `&#${character.codePointAt(0)};`;
}
