import type { Micros } from '../../../memory/memory.ts';

/** The result of a rule, before its message is known. */
export interface RuleClaim {
  /** `{speaker}` is replaced by the subject of the message. Absent: that subject. */
  readonly subject?: string;
  readonly attribute: string;
  readonly value: string;
  /** Absent: a sentence is generated. `{name}` is replaced by the subject. */
  readonly text?: string;
  readonly confidence: number;
  readonly retracts?: boolean;
  /** Absent: the time of the message. */
  readonly validFromUs?: Micros;
}

/** A pattern of statements. */
export interface Rule {
  /** With the flag `g` or without; each match of a sentence is read. */
  readonly pattern: RegExp;
  /** Found, without the flag `g`, in every sentence that the pattern matches; cheap. Absent: `PERSONAL`. */
  readonly cue?: RegExp;
  /** Also reads requests, which may state how answers should be. Absent: false. */
  readonly ofRequests?: boolean;
  /** Its pattern handles negation itself. Absent: false, and a negated match has no result. */
  readonly readsNegation?: boolean;
  /** Undefined where the match has no result. */
  claims(part: (name: string) => string, context: RuleContext): readonly RuleClaim[];
}

export interface RuleContext {
  /** Time of the message: the reference of "tomorrow". */
  readonly saidAtUs: Micros;
  readonly isIntroduction: boolean;
  readonly isGreeted: boolean;
  /** Names may have no capital letter. */
  readonly isTyped: boolean;
  /** True of a text with a name; in a typed message, of one that begins as a name may. */
  isProper(text: string): boolean;
}

/** Words of the first person: a sentence has at least one of them where a pattern without a cue of its own matches. */
export const PERSONAL = /\b(?:I|[Mm]e|[Mm]y|[Ww]e|[Oo]ur)\b/;

/** First person at the beginning of a statement, with the adverbs that may follow it. */
export const ADVERBS =
  '(?:(?:also|just|now|currently|recently|really|finally|mainly|mostly|usually|always|still|already|only|actually|generally|definitely|primarily|normally|typically|personally|strongly|much|newly|happily|officially|basically|presently|nowadays|again|since then|gladly|sadly|even|both|lately|temporarily|permanently|kind of|sort of|suddenly|proudly) )*';
export const I_OR_WE =
  "\\b(?<who>I|we|We)(?:'ve|’ve| have)?(?: (?:also|just|now|currently|recently|really|finally|mainly|mostly|usually|always|still|already|only|actually|generally|definitely|primarily|normally|typically|personally|strongly|much))*";
export const BE =
  "(?:'m|’m| am|'re|’re| are)(?: (?:also|just|now|currently|still|actually|mainly|mostly|primarily|already|really))*";

/** How often something is done. */
const WEEKDAYS = '(?:[Mm]on|[Tt]ues|[Ww]ednes|[Tt]hurs|[Ff]ri|[Ss]atur|[Ss]un)days?';
export const OFTEN = `(?:every (?:day|morning|evening|night|week|weekend|month|year|other \\w+|\\w+day)|(?:once|twice|\\d+ times|\\w+ times) (?:a|per) (?:day|week|month|year)|on ${WEEKDAYS}(?: and ${WEEKDAYS})?)`;

/** The rest of a sentence. */
export const TO_END = '[^.!?]+';

/** The ends of a clause. A mark inside of a number is none: "1,200", "7:30". */
const CUT =
  /\s*(?:[;!?()]|[,:](?!\d)|\.|\s[—–-]\s|—|–|\b(?:and (?:I|we|my|our|its?|they|now|then|so)\b|but\b|because\b|since\b|so (?:that|I|we|it)\b|which\b|who\b|while\b|although\b|though\b|when\b|if\b|as (?:it|I|we|the|a)\b|in order\b|for now\b|now\b(?!-)|currently\b|nowadays\b|again\b|already\b|luckily\b|after all\b|until\b|(?:after|before) (?:I|\w+ing)\b|for (?:about |over |almost |nearly |the (?:last|past) )?(?:an?|\d+|two|three|four|five|six|seven|eight|nine|ten|many|several) (?:days?|weeks?|months?|years?)\b|right now\b|these days\b|at the moment\b|at work\b|anymore\b|any more\b|every day\b|last night\b|yesterday\b|today\b|lately\b|recently\b|(?:last|this|next) (?:week|month|year|spring|summer|autumn|fall|winter|(?:[Mm]on|[Tt]ues|[Ww]ednes|[Tt]hurs|[Ff]ri|[Ss]atur|[Ss]un)day)\b|(?:a|an|one|two|three|four|five|six|\d+|a few|a couple of) (?:days?|weeks?|months?|years?) ago\b|(?:in|since) (?:(?:[Jj]anuary|[Ff]ebruary|[Mm]arch|[Aa]pril|[Mm]ay|[Jj]une|[Jj]uly|[Aa]ugust|[Ss]eptember|[Oo]ctober|[Nn]ovember|[Dd]ecember)\b|\d{4}\b)|on (?:[Mm]on|[Tt]ues|[Ww]ednes|[Tt]hurs|[Ff]ri|[Ss]atur|[Ss]un)day\b|instead\b|too\b|as well\b|though\b|from now on\b|going forward\b))/;

/** The phrase at the beginning of a text: up to where a clause ends, at most so many words. */
export function phrase(text: string, wordsMax = 10): string {
  const end = CUT.exec(text)?.index ?? text.length;
  const words = text.slice(0, end).trim().split(/\s+/);
  return words.length <= wordsMax ? words.join(' ') : '';
}

/** Words that refer to a noun outside of the sentence. */
const EMPTY =
  /^(?:no (?!\d)|not |(?:it|nothing|nobody|no one|nowhere|neither|none|them|him|her|they|you|me|us|there|here|to|so|much|more|most|another one|a few|a bit|a lot|lots)\b|(?:this|that|these|those|one|some|something|someone|somebody|anyone|anything|everything|things?|stuff|all|none|the same)\b(?!\s+\w+\s+\w))/i;

/** Words at the end of a phrase whose rest was cut off. */
const CUT_OFF = /(?:\s+(?:a|an|the|for|of|to|with|from|and|or|until|than))+$/i;

/** A phrase that is a name without context; '' where it is not. */
export function named(text: string, wordsMax = 10): string {
  const found = phrase(text, wordsMax)
    .replace(/^(?:that|to be)\s+/i, '')
    .replace(CUT_OFF, '');
  return found.length < 2 || EMPTY.test(found) ? '' : found;
}

/** "my sister Jana". */
export function relationClaim(relation: string, name: string): RuleClaim {
  return { attribute: relation, value: name, text: `{name}’s ${relation} is ${name}.`, confidence: 0.85 };
}
