import { stemOf } from '../../memory/words.ts';
import { areOfOtherThings, capitalizedIn, readStatement, type Statement, stemsOf } from './read-statement.ts';
import { PERSON_NOUNS, RELATIONS, type Relation } from './relations.ts';

/** Longer texts are read up to here. */
const CHARACTERS_READ = 600;
/** A longer sentence states several things. */
const SENTENCE_MAX = 200;

/** Whom a question is about. */
export type Subject =
  /** The writer: I, my, we. */
  | { readonly kind: 'self' }
  /** A person or thing by name, in the words of the question. */
  | { readonly kind: 'name'; readonly name: string }
  /** A person or pet by its relation to another one: "my sister", "Ana's dog". */
  | { readonly kind: 'person'; readonly owner: string; readonly noun: string };

/** Subject and relation that a question asks for. */
export interface Frame {
  readonly relation: Relation;
  readonly subject: Subject;
  /** Stems of the thing that a statement has to name. */
  readonly things: ReadonlySet<string>;
}

/** A statement of a frame. */
export interface FrameStatement extends Statement {
  /** Says how it was, not how it is. */
  readonly isFormer: boolean;
  /** Further words of the subject's name, such as a family name; '' without. */
  readonly surname: string;
}

const POSSESSIVES = 'my|our|his|her|their';
const SELF = /\b(?:I|me|my|mine|we|our|us|the user(?:'s)?)\b/;
const KIN = new RegExp(`\\b(${POSSESSIVES}|\\p{Lu}[\\p{L}-]+'s?) (${PERSON_NOUNS})s?\\b`, 'iu');
/** "Where does Lena work?", "Lena's bank". */
const NAMED_SUBJECT =
  /\b(?:do|does|did|is|are|was|has|have|can|will|would) ((?:\p{Lu}[\p{L}-]+ ?)+)|((?:\p{Lu}[\p{L}-]+ ?)+)'s?\b/u;
/** Asks about several subjects or things. */
const OF_SEVERAL = /\b(?:and|or|both)\b/i;
const NO_NAMES =
  /^(?:I|I'm|My|We|Our|Is|Are|Am|Do|Does|Did|Has|Have|Can|Will|What|Who|Where|Which|When|How|Whose|Why)$/;
/** Words of a question for likes that name no thing. */
const ATTITUDES = stemsOf(
  'like love enjoy hate dislike fond fan feel think stand keen really much lot big favourite favorite anymore best most prefer completely',
);
/** Words of a question that name its form or its time. */
const FORM = stemsOf(
  'what kind type sort make model brand name day time current currently present presently moment nowadays new latest old former formerly previous previously originally first user work use be have get still exactly actual actually today tell know remember see go goes follow much many',
);
/** States no fact. */
const SUPPOSED =
  /\b(?:[Ww]ants?|wanted|wish(?:es)?|hopes?|hoping|plans?|planning|might|(?<![Ii]n |[Ss]ince )may|maybe|perhaps|could|would(?! rather)|should|[Ii]f|almost|nearly|thinking (?:of|about)|considering|considers|dreams?|dreamt|offered|interview\w*|applied|applying|going to (?!\p{Lu}|the|school|college|university|work|my|his|her|dr)|will|going out to|tomorrow|next (?:week|month|year)|visit\w*)\b/u;
const FORMER =
  /\b(?:used to|previously|formerly|in the past|back then|once (?:lived|worked|was|had|played)|grew up|was born|as a (?:child|kid)|years ago i (?:lived|worked))\b/i;
/** The frame of a question for one value of one subject; undefined where it asks for anything else. */
export function frameOf(question: string): Frame | undefined {
  const text = question.replaceAll('’', "'");
  if (OF_SEVERAL.test(text)) return undefined;
  const relations = RELATIONS.filter(({ asked }) => asked.test(text));
  for (const relation of relations) {
    const subject = subjectOf(text, relation);
    if (!subject) continue;
    const things = thingsOf(text, subject, relation);
    // A question for anything else besides, or one that lacks the thing.
    if (relation.isOfThing ? things.size === 0 : things.size > 0) continue;
    return { relation, subject, things };
  }
  return undefined;
}

function subjectOf(text: string, { nouns }: Relation): Subject | undefined {
  const [, owner = '', noun = ''] = KIN.exec(text) ?? [];
  if (noun && !nouns?.test(noun))
    return { kind: 'person', owner: owner.toLowerCase().replace(/'s?$/, ''), noun: noun.toLowerCase() };
  const [, asked, owning] = NAMED_SUBJECT.exec(text) ?? [];
  const named = (asked ?? owning ?? '').trim();
  if (named && !NO_NAMES.test(named)) return { kind: 'name', name: named };
  if (SELF.test(text)) return { kind: 'self' };
  const name = capitalizedIn(text).at(-1);
  return name === undefined ? undefined : { kind: 'name', name };
}

/** Stems of the question that are neither of its subject nor of its relation. */
function thingsOf(text: string, subject: Subject, { words, isOfThing }: Relation): ReadonlySet<string> {
  const own = stemsOf(
    subject.kind === 'name' ? subject.name : subject.kind === 'person' ? `${subject.owner} ${subject.noun}` : '',
  );
  const isOfRelation = (stem: string): boolean =>
    words.some((word) => stem === word || stem === stemOf(word) || (word.length > 3 && stem.startsWith(word)));
  const isThing = (stem: string): boolean =>
    !own.has(stem) && !FORM.has(stem) && !(isOfThing ? ATTITUDES.has(stem) : isOfRelation(stem));
  return new Set([...stemsOf(text)].filter(isThing));
}

/** When a text was said, and by whom. */
export interface Said extends Pick<Statement, 'atUs' | 'speaker'> {
  /** The speaker is named in the question. */
  readonly isByNamed: boolean;
}

/** The first statement of a text in a frame. */
export function readFrame(text: string, frame: Frame, said: Said): FrameStatement | undefined {
  const read = readTexts.get(frame) ?? new Map<string, FrameStatement | undefined>();
  readTexts.set(frame, read);
  const key = `${Number(said.isByNamed)}${text}`;
  if (!read.has(key)) read.set(key, readSentences(text, frame, said));
  const statement = read.get(key);
  return statement && { ...statement, atUs: said.atUs, speaker: said.speaker };
}

/** What was read in a frame: one recall looks at a text more than once. */
const readTexts = new WeakMap<Frame, Map<string, FrameStatement | undefined>>();

function readSentences(text: string, frame: Frame, said: Said): FrameStatement | undefined {
  let earlier = '';
  for (const sentence of sentencesOf(text)) {
    const read = readSentence(sentence, earlier, frame, said);
    if (read) return read;
    earlier += `${sentence} `;
  }
  return undefined;
}

function sentencesOf(text: string): string[] {
  const read = text.slice(0, CHARACTERS_READ).replaceAll('’', "'");
  return read
    .split(/(?<=[.!?])(?<!\b(?:Dr|Mr|Ms|Mrs|Prof|St)\.)\s+|\n+/)
    .filter((sentence) => sentence.length <= SENTENCE_MAX && !sentence.endsWith('?'));
}

function readSentence(
  sentence: string,
  earlier: string,
  { relation, subject, things }: Frame,
  said: Said,
): FrameStatement | undefined {
  const match = relation.stated.exec(sentence);
  if (!match || SUPPOSED.test(sentence)) return undefined;
  const end = match.index + match[0].length;
  const surname = surnameOf(sentence, earlier, subject, {
    relation,
    from: match.index,
    end,
    isByNamed: said.isByNamed,
  });
  if (surname === undefined) return undefined;
  const statement = readStatement(sentence, said);
  for (const thing of things) if (!statement.stems.has(thing)) return undefined;
  return { ...statement, isFormer: FORMER.test(sentence), surname };
}

interface Around {
  readonly relation: Relation;
  readonly from: number;
  readonly end: number;
  readonly isByNamed: boolean;
}

/** The rest of the subject's name where the sentence is about the subject; otherwise undefined. */
function surnameOf(sentence: string, earlier: string, subject: Subject, around: Around): string | undefined {
  if (subject.kind === 'person') {
    const owner = /^(?:my|our)$/.test(subject.owner) ? '(?:my|our)' : escaped(subject.owner);
    const mention = new RegExp(
      `\\b${owner}(?:'s?)? (?:[a-z]+ )?${escaped(subject.noun)}\\b(?!'s? (?:${PERSON_NOUNS}))`,
      'i',
    );
    const at = mention.exec(sentence)?.index;
    return at !== undefined && at < around.end ? '' : undefined;
  }
  if (subject.kind === 'self' || around.isByNamed) {
    if (isOfSelf(sentence, around)) return '';
    if (subject.kind === 'self') return undefined;
  }
  const name = subject.kind === 'name' ? subject.name : '';
  const [first = ''] = name.split(' ');
  const pattern = new RegExp(
    `\\b(?:${escaped(name)}|${escaped(first)}(?! \\p{Lu}))\\b((?: \\p{Lu}[\\p{L}-]+)*)(?:'s? ([a-z]+))?`,
    'gu',
  );
  for (const { index, 1: rest = '', 2: noun = '' } of sentence.matchAll(pattern)) {
    if (index >= around.end) break;
    if (IS_PERSON.test(noun) && !around.relation.nouns?.test(noun)) continue;
    return rest.trim();
  }
  const isPronoun = /^(?:she|he|they|it|her|his|their)\b/i.test(sentence);
  return isPronoun && new RegExp(`\\b${escaped(first)}\\b`, 'u').test(earlier) && capitalizedIn(earlier).length <= 1
    ? ''
    : undefined;
}

const IS_PERSON = new RegExp(`^(?:${PERSON_NOUNS})$`, 'i');
const OF_SELF = new RegExp(`\\b(?:i|me|mine|we|us|(?:my|our)(?! (?:[a-z]+ )?(?:${PERSON_NOUNS})\\b))\\b`, 'i');
const OWN_PERSON = new RegExp(`\\b(?:my|our) (?:new |old |former )?(${PERSON_NOUNS})\\b`, 'i');

/** True where the writer is the subject: "I", "my job", or a verb without a subject ("Moved to Porto"). */
function isOfSelf(sentence: string, { relation, from, end }: Around): boolean {
  const before = sentence.slice(0, end);
  const own = OWN_PERSON.exec(before)?.[1];
  if (own !== undefined && relation.nouns?.test(own)) return true;
  return (
    OF_SELF.test(before) ||
    (from === 0 && /^[\p{L}]+(?:ed|ing|s)? /u.test(sentence) && !/^(?:the|a|an)\b/i.test(sentence))
  );
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** Whether a newer statement of a frame takes the place of an older one. */
export function supersedes(newer: FrameStatement, older: FrameStatement, { relation }: Frame): boolean {
  if (newer.isFormer) return false;
  if (newer.surname !== '' && older.surname !== '' && newer.surname !== older.surname) return false;
  return relation.isYesNo || relation.isOfThing || !areOfOtherThings(newer, older);
}
