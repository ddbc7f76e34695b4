import { capitalizedIn, isQuestion, stemsOf } from './read-statement.ts';
import { PERSON_NOUNS, RELATIONS } from './relations.ts';

/** A longer text names too many things. */
const CHARACTERS_MAX = 240;

/** Something that a question describes in place of its name: "my sister", "the director of Low Water". */
interface Reference {
  /** Its words in the question. */
  readonly phrase: string;
  /** What it is: "sister". */
  readonly noun: string;
  /** Words of what it belongs to. */
  readonly owner: string;
}

const NAME = '\\p{Lu}[\\p{L}\\p{N}.-]*(?:(?: (?:of|and|the|de|la))? \\p{Lu}[\\p{L}\\p{N}.-]*)*';
/** The innermost first: "the wife of [the director of Low Water]". */
const REFERENCES: readonly RegExp[] = [
  new RegExp(`(?<phrase>(?:\\b[Tt]he )?(?<noun>[\\p{L}]+) of (?<owner>${NAME}))(?![\\p{L}'])`, 'u'),
  new RegExp(`(?<phrase>(?<owner>${NAME})'s? (?<noun>(?:${PERSON_NOUNS}|[\\p{L}]+)))(?=\\W|$)`, 'u'),
  /(?<phrase>\b[Tt]he (?<noun>[\p{L}]+) (?:that|which|who|where|whom) (?<owner>[^?.!]*?))[?.!]*$/u,
  ...['[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[Tt]heir', '[Tt]he'].map(
    (owners) => new RegExp(`(?<phrase>\\b(?<owner>${owners}) (?:new )?(?<noun>${PERSON_NOUNS}))\\b`, 'u'),
  ),
];

export interface Named {
  readonly question: string;
  readonly name: string;
}

/**
 * The question with the name of what it describes, where one of the texts tells it: "Where does my sister work?" and "My
 * sister is called Ines" give "Where does Ines work?". Undefined where the question describes nothing, or no text tells.
 */
export function namedIn(question: string, texts: readonly string[]): Named | undefined {
  const text = question.replaceAll('’', "'");
  for (const reference of referencesIn(text)) {
    for (const told of texts) {
      const name = nameTold(told.replaceAll('’', "'"), reference, text);
      if (name !== undefined) return { question: text.replace(reference.phrase, name), name };
    }
  }
  return undefined;
}

/**
 * Asks for the name of what a question describes; undefined where it describes nothing, asks for nothing else, or leaves to
 * the rest of it whose it is: "his sister".
 */
export function questionForName(question: string): string | undefined {
  const text = question.replaceAll('’', "'");
  const reference = referencesIn(text).find(
    ({ noun, owner }) => !OTHERS.test(owner) && (IS_PERSON.test(noun) || isRelated(noun)),
  );
  if (!reference) return undefined;
  const isMore = stemsOf(text.replace(reference.phrase, ' ')).size > 0;
  return isMore ? `What is ${reference.phrase}?` : undefined;
}

const IS_PERSON = new RegExp(`^(?:${PERSON_NOUNS})$`, 'i');

function isRelated(noun: string): boolean {
  return (
    IN_OTHER_WORDS.some(([named]) => named.test(noun)) || RELATIONS.some(({ nouns }) => nouns?.test(noun) === true)
  );
}

/** Those that may be named first come first. */
function referencesIn(text: string): Reference[] {
  return REFERENCES.flatMap((pattern) => {
    const { phrase = '', noun = '', owner = '' } = pattern.exec(text)?.groups ?? {};
    return phrase === '' ? [] : [{ phrase, noun, owner }];
  });
}

const DETERMINERS = /^(?:my|our|his|her|their|the)$/i;
const OTHERS = /^(?:his|her|their)$/i;

/** The name, where the text tells it and does not answer the rest of the question. */
function nameTold(told: string, { phrase, noun, owner }: Reference, question: string): string | undefined {
  if (told.length > CHARACTERS_MAX || isQuestion(told)) return undefined;
  const stems = stemsOf(told);
  const kind = [...stemsOf(noun)];
  if (kind.length === 0 || [...stemsOf(question.replace(phrase, ' '))].every((stem) => stems.has(stem)))
    return undefined;
  const isTold = kind.every((stem) => stems.has(stem)) || statesRelation(noun, told);
  const isOwned = DETERMINERS.test(owner)
    ? !/^(?:my|our)$/i.test(owner) || /\b(?:I|me|my|we|our|us)\b/i.test(told)
    : capitalsOf(owner).some((word) => told.includes(word)) || [...stemsOf(owner)].every((stem) => stems.has(stem));
  if (!isTold || !isOwned) return undefined;
  const names = namesOf(told).filter((name) => !question.includes(name));
  const called = /\b(?:called|named|name is|name's) (\p{Lu}[\p{L}.-]*)/u.exec(told)?.[1];
  return names.find((name) => called !== undefined && name.startsWith(called)) ?? names[0];
}

/** Nouns, and what states them in other words. */
const IN_OTHER_WORDS: readonly (readonly [RegExp, RegExp])[] = [
  [
    /^(?:head|leader|boss|chief|ceo|director|chair\w*|president)$/i,
    /\b(?:led|leads?|heads?|headed|runs?|chair\w*|ceo|executive|directs|directed)\b/i,
  ],
  [/^(?:author|writer)$/i, /\b(?:wrote|writes|written)\b/i],
  [/^(?:founder|inventor|creator|maker)$/i, /\b(?:founded|invented|created|made|started)\b/i],
  [/^owner$/i, /\b(?:owns?|owned|belongs)\b/i],
  [/^(?:wife|husband|spouse)$/i, /\bmarried\b/i],
  [/^(?:mother|father|parents?|son|daughter|child)$/i, /\b(?:mother|father|parents?|son|daughter|child)\b/i],
  [/^(?:city|town|country|place|village|state)$/i, /\b(?:in|at|from|to|near) \p{Lu}/u],
];

/** Whether the text states the relation that the noun names in other words: "works for" for employer. */
function statesRelation(noun: string, told: string): boolean {
  if (IN_OTHER_WORDS.some(([named, stated]) => named.test(noun) && stated.test(told))) return true;
  return RELATIONS.some(({ nouns, stated }) => nouns?.test(noun) === true && stated.test(told));
}

function capitalsOf(text: string): string[] {
  return text.match(/\p{Lu}[\p{L}\p{N}-]+/gu) ?? [];
}

const NO_NAME =
  /^(?:I|I'm|My|Our|We|He|She|They|It|The|A|An|This|That|There|His|Her|Their|Its|In|On|At|For|When|If|And|But|Yes|No|So)$/;

/** Names in a text, each with all of its words. */
function namesOf(text: string): string[] {
  const names = text.match(/(?:(?:Dr|Mr|Ms|Mrs|Prof)\. )?\p{Lu}[\p{L}\p{N}'-]*(?: \p{Lu}[\p{L}\p{N}-]*)*/gu) ?? [];
  const inside = new Set(capitalizedIn(text));
  return names
    .map((name) => name.replace(/'s$/, ''))
    .filter((name) => !NO_NAME.test(name) && (name.includes(' ') || inside.has(name) || text.startsWith(name)));
}
