/**
 * Remembered text as quoted data. In no format can it end its entry, open another one, imitate a role or a fence of code,
 * or hold characters that are not seen or that turn the direction of the text around.
 */

/** Line ends of other systems and of Unicode. */
const LINE_ENDS = /\r\n|[\r\v\f\u0085\u2028\u2029]/g;
/**
 * Invisible characters: format characters (zero-width, bidirectional, tags), controls, lone surrogates, fillers, and
 * variation selectors except those of emoji.
 */
const UNSEEN =
  /[\p{Cf}\p{Cs}\u115f\u1160\u2800\u3164\uffa0]|\u034f|\u17b4|\u17b5|[\u180b-\u180d]|\u180f|[\u{e0100}-\u{e01ef}]|(?![\n\t])\p{Cc}/gu;
/** Compatibility forms of the brackets of tags. */
const ANGLES_OPENING = /[\uff1c\ufe64]/g;
const ANGLES_CLOSING = /[\uff1e\ufe65]/g;

/** The text with line ends as `\n` and without unseen characters; compatibility forms of `<` and `>` are replaced by them. */
export function seenText(text: string): string {
  return text
    .replace(LINE_ENDS, '\n')
    .replace(UNSEEN, '')
    .replace(ANGLES_OPENING, '<')
    .replace(ANGLES_CLOSING, '>')
    .trim();
}

/** How a format escapes a character. */
type Substitute = (character: string) => string;

// Each pattern takes time in proportion to the text, whatever the text is.
/** Word of a role with the colon that makes it one, at the beginning of a line. */
const ROLE =
  /^((?:[>*_#|-]|[^\S\n])*(?:system|user|assistant|human|ai|bot|tool|function|developer|model|instructions?)[\s*_]*)([:\uff1a])/gimu;
const FENCE = /`{3,}|~{3,}/g;
const TURN_WORD = '(?:inst|sys|system|system_prompt|user|assistant|available_tools)';
/** Marks of turns in the templates of chat models: `[INST]`, `[/INST]`, `[SYSTEM_PROMPT]`, `[TOOL_CALLS]`. */
const TURN = new RegExp(
  String.raw`\[(?=\s*(?:/\s*)?(?:[a-z_]+\s+(?:${TURN_WORD}|tool\w*)|[a-z_]*${TURN_WORD}|(?:(?!tool)[a-z_])*tool\w*)\s*\])`,
  'gi',
);
/** Headings, by which instructions are set off: `### Instruction`. */
const HEADING = /^((?:>|[^\S\n])*)#(?=#*\s*\S)/gm;

function defused(text: string, substitute: Substitute): string {
  return text
    .replace(ROLE, (_, role: string, colon: string) => role + substitute(colon))
    .replace(FENCE, (fence) => substitute(fence[0] ?? '').repeat(fence.length))
    .replace(TURN, substitute('['))
    .replace(HEADING, (_, before: string) => before + substitute('#'));
}

const entity: Substitute = (character) => `&#${character.codePointAt(0)};`;
const escapeJson: Substitute = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Text of an XML element. */
export function xmlText(text: string): string {
  const marked = seenText(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return defused(marked, entity);
}

/** Value of an XML attribute in double quotes: one line, at most so many characters. */
export function xmlAttribute(text: string, lengthMax: number): string {
  return xmlText(oneLine(text, lengthMax)).replaceAll('"', '&quot;').replaceAll("'", '&#39;');
}

/** Text of a Markdown block quote: each line begins with `indent`. */
export function markdownQuote(text: string, indent: string): string {
  const marked = seenText(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return defused(marked, (character) => `\\${character}`)
    .split('\n')
    .map((line) => `${indent}${line}`.trimEnd())
    .join('\n');
}

/** A few words inside a line of Markdown. */
export function markdownWords(text: string, lengthMax: number): string {
  const marked = oneLine(text, lengthMax).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return marked.replaceAll(/[\\`*_[\]#|~:]/g, (sign) => `\\${sign}`);
}

/**
 * A JSON string with its quotes; characters that could be read as a tag, a role, a fence or a mark of a turn are `\u`
 * escapes.
 */
export function jsonString(text: string): string {
  const lines = seenText(text).split('\n');
  const safe = lines.map((line) => {
    const quoted = JSON.stringify(line).slice(1, -1);
    return defused(quoted.replaceAll('<', escapeJson('<')), escapeJson);
  });
  return `"${safe.join('\\n')}"`;
}

/** The text as one line, cut to a number of characters. */
export function oneLine(text: string, lengthMax: number): string {
  const line = seenText(text).replaceAll(/\s+/g, ' ');
  const characters = [...line];
  return characters.length <= lengthMax ? line : `${characters.slice(0, lengthMax - 1).join('')}…`;
}
