import { answerTopicOf } from './instruction-topics.ts';
import type { RuleClaim } from './rule.ts';
import { phrase } from './rule.ts';
import { withFullStops } from './typed-text.ts';

/** Subject of instructions, whoever states them: a later one replaces the one before. */
const INSTRUCTED = 'assistant';

/** A sentence with an instruction for all future answers, not only for one. */
const STANDING =
  /\b(?:always|never|from now on|from here on|going forward|moving forward|in (?:the )?future|whenever|every time|from today|remember to|make sure|ensure|be sure to|it(?:'s| is) (?:important|crucial|essential|vital)|I(?:'d| would) like (?:you|us) to|I (?:want|need|expect) (?:you|us) to|we(?:'ll| will) be|we(?:'re| are)|we (?:use|like|require|want|follow|maintain|prefer|need|ask)|you(?:'ll| will) need to|you should|you must|please|let's|avoid|don't|do not|the habit of|practice|convention|standard|guideline|emphasize|start|begin|end|update|instead|switch|stop|speak|talk|explanations|answers|responses|replies|(?:your|all) (?:answers?|responses?|replies|explanations?|messages?)|no(?: more)? [a-z]+)\b/i;
const ASKED =
  /^(?:can|could|would|will) you (?:please )?(?:(?:always|never|from now on|stop)\b|keep (?:your|all|the) (?:answers|responses|replies|explanations|messages)\b)/i;

/** An acknowledgement of the instruction, or a question about it. */
const ACKNOWLEDGED =
  /^(?:understood|got it|noted|will do|absolutely|of course|alright)\b|\bI(?:'ll|’ll| will| should| must| can| could| understand| see| have to| need to| was| always| usually| never)\b|\bI(?:'m|’m| am) (?:going to|not sure|used to)\b|\b(?:should|shall|do|can|may) I\b|\bmy (?:method|function|variable|attribute|class|code|argument)/i;

const QUOTED = /['"‘“`](@?[\w.-]{1,40}?)[,.]?['"’”`]/g;
const AFFIX = /^(?:_[a-z]{1,4}|[a-z]{1,4}_)$/;
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:function(?:'s)? )?(?:arguments?|parameters?)\b/gi, 'function_argument'],
  [/\battributes?\b/gi, 'attribute'],
  [/\bvariables?\b/gi, 'variable'],
  [/\bmethods?\b/gi, 'method'],
  [/\bclass(?:es)?\b/gi, 'class'],
  [/\bfunctions?\b(?! (?:argument|parameter))/gi, 'function'],
];

/**
 * Standing instructions in the sentences of one message, in order. A sentence may refer to the subject of the previous
 * one.
 */
export function instructionsIn(sentences: readonly string[]): RuleClaim[] {
  const claims: RuleClaim[] = [];
  const topics = new Set<string>();
  let former = '';
  for (const sentence of sentences) {
    if (isInstruction(sentence)) {
      const coding = codingClaims(sentence, former);
      const found = coding.length > 0 ? coding : partsClaims(sentence, topics);
      claims.push(...found);
    }
    former = sentence;
  }
  return claims;
}

/** Where another instruction of the same sentence begins. */
const AND_ALSO =
  /,? (?:and|but) (?=(?:(?:always|never|don't|do not|please|also) )*(?:keep|use|answer|reply|respond|be|write|avoid|give|include|add|explain|don't|stop|speak)\b)/i;

/** The instructions of a sentence: what marks the first one as a standing one marks the others. */
function partsClaims(sentence: string, topics: Set<string>): RuleClaim[] {
  const claims: RuleClaim[] = [];
  for (const part of sentence.split(AND_ALSO)) {
    const found = generalClaims(claims.length > 0 && !MARK.test(part) ? `always ${part}` : part, topics);
    for (const { attribute } of found) topics.add(attribute);
    claims.push(...found);
  }
  return claims;
}

/** "Can you always answer in French?" is an instruction too. */
function isInstruction(sentence: string): boolean {
  return STANDING.test(sentence) && (!sentence.endsWith('?') || ASKED.test(sentence));
}

function instruction(topic: string, value: string): RuleClaim {
  const attribute = `instruction_${topic}`.slice(0, 100);
  return { subject: INSTRUCTED, attribute, value, text: `{name} gave the instruction: ${value}.`, confidence: 0.8 };
}

/** Conventions of code: names, decorators, modules, and contents of functions. */
function codingClaims(sentence: string, former: string): RuleClaim[] {
  return [...affixClaims(sentence, former), ...nameClaims(sentence, former), ...bodyClaims(sentence, former)];
}

function kindsIn(sentence: string): { readonly kind: string; readonly at: number }[] {
  return KINDS.flatMap(([pattern, kind]) =>
    [...sentence.matchAll(pattern)].map(({ index }) => ({ kind, at: index })),
  ).sort((one, other) => one.at - other.at);
}

/** The kind that is named last before a place, else first after it, else last in the sentence before. */
function kindNear(sentence: string, former: string, at: number): string | undefined {
  const kinds = kindsIn(sentence);
  const kind = kinds.findLast((one) => one.at < at) ?? kinds[0] ?? kindsIn(former).at(-1);
  return kind?.kind;
}

function affixClaims(sentence: string, former: string): RuleClaim[] {
  return [...sentence.matchAll(QUOTED)].flatMap(({ 1: affix = '', index }) => {
    const kind = AFFIX.test(affix) ? kindNear(sentence, former, index) : undefined;
    if (kind === undefined) return [];
    const verb = affix.startsWith('_') ? 'end' : 'start';
    const names = kind.replaceAll('_', ' ');
    return [instruction(`${verb}_of_${kind}_names`, `always ${verb} ${names} names with '${affix}'`)];
  });
}

function nameClaims(sentence: string, former: string): RuleClaim[] {
  const claims: RuleClaim[] = [];
  const style = /\b(snake[_ ]case|camel ?case|pascal ?case|(?:all )?(?:UPPERCASE|upper ?case))\b/i.exec(sentence);
  const styled = style && (kindNear(sentence, former, sentence.length) ?? 'class');
  if (style && styled) {
    const names = styled.replaceAll('_', ' ');
    claims.push(instruction(`case_of_${styled}_names`, `always use ${style[1]} for ${names} names`));
  }
  const digit = /\b(?:single |one )?(?:digit|numeric character)s?\b/i.exec(sentence);
  const text =
    /\bstring ['"‘“`](\w+)['"’”`]/i.exec(sentence) ??
    /(?:includ|contain|add|incorporat)\w* ['"‘“`]([a-z]{2,6})['"’”`]/i.exec(sentence);
  for (const [found, what, topic] of [
    [digit, 'a single digit', 'digit'],
    [text, `the string '${text?.[1]}'`, 'string'],
  ] as const) {
    const kind = found && kindNear(sentence, former, sentence.length);
    if (!kind || !/\bnam(?:e|ing)/i.test(`${former} ${sentence}`)) continue;
    claims.push(
      instruction(`${topic}_in_${kind}_names`, `always include ${what} in ${kind.replaceAll('_', ' ')} names`),
    );
  }
  return claims;
}

const BODIES: readonly (readonly [RegExp, string])[] = [
  [/\btry(?:[-/]| and )?(?:except|catch)?(?: statements?| blocks?)\b|\btry statement/i, 'try statements'],
  [/\bassert(?:ion)?s?(?: statements?)?\b/i, 'assert statements'],
  [/\bdocstrings?\b/i, 'docstrings'],
  [/\b(?:type )?annotations?\b|\btype hints?\b/i, 'annotations'],
];

function bodyClaims(sentence: string, former: string): RuleClaim[] {
  const claims: RuleClaim[] = [];
  for (const [pattern, what] of BODIES) {
    if (!pattern.test(sentence)) continue;
    const kinds = [...new Set(kindsIn(sentence).map(({ kind }) => kind))].filter((kind) =>
      /^(?:function|method|class)$/.test(kind),
    );
    const inherited = kindNear('', former, 0);
    for (const kind of kinds.length > 0 ? kinds : inherited ? [inherited] : []) {
      claims.push(
        instruction(`${what.replaceAll(' ', '_')}_in_${plural(kind)}`, `always use ${what} in ${plural(kind)}`),
      );
    }
  }
  const decorator = /['"‘“`]?(@\w+)['"’”`]?(?: decorator)?/.exec(sentence);
  if (decorator && /decorator/i.test(sentence)) {
    const kinds = new Set(kindsIn(sentence).map(({ kind }) => kind));
    for (const kind of ['function', 'method', 'class'].filter((one) => kinds.has(one))) {
      claims.push(
        instruction(
          `decorator_${decorator[1]?.slice(1)}_of_${kind}s`,
          `always add the '${decorator[1]}' decorator to ${plural(kind)}`,
        ),
      );
    }
  }
  const module = /\bimport(?:ing)?(?: the)? ['"‘“`]?(\w+)['"’”`]? (?:module|library|package)/i.exec(sentence);
  if (module) claims.push(instruction(`import_of_${module[1]}`, `always import the '${module[1]}' module`));
  if (
    claims.length === 0 &&
    /\b(?:add|include|write|use|provide|leave|with)\w*\b[^.]*\bcomments?\b/i.test(sentence) &&
    /\bcod(?:e|ing)\b/i.test(`${former} ${sentence}`)
  ) {
    claims.push(instruction('comments_in_code', 'always add comments in the code'));
  }
  return claims;
}

function plural(kind: string): string {
  return kind === 'class' ? 'classes' : `${kind}s`;
}

const FROM_NOW =
  '(?:from now on|from here on|going forward|moving forward|in (?:the )?future|from today(?: on)?|starting (?:now|today))';
const LEAD = `(?:${FROM_NOW}|please|can you|could you|would you|will you|so|also|additionally|first(?:ly)?|second(?:ly)?|finally|lastly|next|actually|instead|just|I(?:'d| would) like (?:you|us) to|I (?:want|need|expect) (?:you|us) to|I(?:'m| am) asking you to|make sure (?:to|that you|you)|ensure (?:that you|you)|be sure to|remember to|it(?:'s| is) (?:important|crucial|essential) (?:to|that you)|you (?:should|must|need to|can)|we(?:'ll| will) (?:be )?|we(?:'re| are) (?:going to |now )?|let's|start(?: to)?|begin(?: to)?|whenever you (?:answer|reply|respond),?)`;
const VERBS =
  'us(?:e|ing)|do(?:ing)?|work(?:ing)?|go(?:ing)?|take|taking|writ(?:e|ing)|commit(?:ting)?|communicat(?:e|ing)|set(?:ting)?(?: up)?|answer(?:ing)?|repl(?:y|ying)|respond(?:ing)?|call(?:ing)?|speak(?:ing)?|format(?:ting)?|includ(?:e|ing)|add(?:ing)?|avoid(?:ing)?|send(?:ing)?|ask(?:ing)?|check(?:ing)?|run(?:ning)?|keep(?:ing)?|switch(?:ing)?(?: back)? to|transition(?:ing)? to|mention(?:ing)?|discuss(?:ing)?|bring(?:ing)? up|remind(?:ing)?|explain(?:ing)?|giv(?:e|ing)|show(?:ing)?|tell(?:ing)?|translat(?:e|ing)|cit(?:e|ing)|provid(?:e|ing)|convert(?:ing)?|spell(?:ing)?';
/** Verbs of many other sentences: they are read only with a topic of answers. */
const BROAD_VERBS =
  'be(?:ing)?|mak(?:e|ing)|talk(?:ing)?|say(?:ing)?|start(?:ing)?|end(?:ing)?|apologi[sz](?:e|ing)|stick(?:ing)? to|return(?:ing)? to|go back to|prefer|output|put';
const GENERAL = new RegExp(
  `(?:^|[,.;:] |\\b(?:and|that|but) |\\b${LEAD},? )+(?:(?<lead>${LEAD}),? )*(?:not )?(?<polarity>always|never|avoid|don't|do not|stop|only|no longer)?,? ?(?<again>(?:always|only|just|please|ever) )?(?:(?<verb>${VERBS})|(?<broad>${BROAD_VERBS}))(?: (?<rest>[^.!?;]+)|$)`,
  'i',
);
const MARK = new RegExp(
  `\\b(?:always|never|${FROM_NOW}|avoid|I(?:'d| would) like (?:you|us) to|I (?:want|need|expect) (?:you|us) to|we(?:'ll| will) be|remember to)\\b`,
  'i',
);

/** The mark may stand at the beginning, with its verb further on, or at the end. */
const OUTER_MARK = new RegExp(
  `^(?:[\\p{L}-]+, )?(?:${FROM_NOW}|always|never)\\b|\\b(?:from now on|going forward|moving forward),|\\b(?:${FROM_NOW}|every time|always)\\W*$`,
  'iu',
);
/** Words about all answers, and refusals, which make an instruction about answers a standing one. */
const ABOUT_ALL =
  /\b(?:(?:your|all|every|all your) (?:answers?|responses?|repl(?:y|ies)|explanations?|messages?)|everything|(?:answers|responses|replies|explanations))\b/i;
const NOT_ALL = /\b(?:this|that|these|those|the|my) [\w-]+/i;
const ENCOURAGEMENT =
  /^(?:tak\w+ (?:good |great |it |one |your time|care|a deep)|keep\w* (?:up|going|pushing|at|it|striving|pursuing|on|moving|fighting|shining|smiling|trying|being|believing|dreaming|working)|go(?:ing)? (?:for it|with|to|on)\b|do(?:ing)? (?:your|great|what)|work\w* hard|run\w* around|giv\w+ up|tell\w* me (?:about|what|how|why)|show\w* up)/i;
/** "no bullet points", "no more emojis". */
const NO_MORE = /(?<=^|,\s|\bnow on,? |\bplease |\band |\bforward,? |\bfuture,? )no (?:more )?(?=[a-z]+)/i;

/** "Only English please", where no verb is. */
const ONLY = new RegExp(
  `^(?:${FROM_NOW},? )?(?:only )?(\\p{L}+)(?: only)?,?(?: please)?(?: ${FROM_NOW})?(?: please)?\\W*$`,
  'iu',
);

/** Any other standing instruction. Its topic is one of answers, else the purpose, or else the object. */
function generalClaims(text: string, taken: ReadonlySet<string>): RuleClaim[] {
  const sentence = text
    .replace(NO_MORE, "don't use ")
    .replace(/\b(?:skip|omit|leave out) (?=[a-z])/i, "don't use ")
    .replace(ONLY, (only, word: string) =>
      answerTopicOf('answer', word) === 'language' ? `always answer in ${word}` : only,
    );
  const match = ACKNOWLEDGED.test(sentence) ? null : GENERAL.exec(sentence);
  if (!match?.groups) return [];
  const { lead = '', polarity = '', verb: usual = '', broad = '', rest = '' } = match.groups;
  const verb = usual || broad;
  const object = phrase(rest.replace(new RegExp(`,? ?\\b(?:please|instead|${FROM_NOW})\\b.*$`, 'i'), ''), 14);
  const isGerund = /ing\b/.test(verb) && !/(?:start|begin|be|are|re|avoid|stop|of)\s*$/i.test(`${lead}${polarity}`);
  if (isGerund || ENCOURAGEMENT.test(`${verb} ${rest}`) || /^call/i.test(verb)) return [];
  const isNegative = /^(?:never|avoid|don't|do not|stop|no longer)$/i.test(polarity) || /^avoid/i.test(verb);
  const plainVerb = baseOf(verb);
  const topic = answerTopicOf(plainVerb, withFullStops(object));
  const before = match[0].slice(0, match[0].length - rest.length);
  const isDirect =
    MARK.test(before) || (MARK.test(sentence) && OUTER_MARK.test(sentence)) || isOfAnswers(verb, isNegative, object);
  if (!(isDirect && (topic !== undefined || (object !== '' && broad === '')))) return [];
  const what = /^avoid/i.test(verb)
    ? object.replace(/^(\w+ing)\b/, (gerund) => baseOf(gerund))
    : `${plainVerb} ${object}`.trim();
  // Two instructions of one message are both meant.
  const isTaken = topic !== undefined && taken.has(`instruction_${topic}`);
  const name = topic === undefined || isTaken ? topicOf(plainVerb, object) : topic;
  return [instruction(name, `${isNegative ? 'never' : 'always'} ${what}`)];
}

/** True of an instruction about answers that is a standing one without a mark: "don't use emojis", "keep your answers short". */
function isOfAnswers(verb: string, isNegative: boolean, object: string): boolean {
  const topic = answerTopicOf(baseOf(verb), object);
  if (topic === undefined) return false;
  if (ABOUT_ALL.test(object)) return true;
  return !NOT_ALL.test(object) && (isNegative || (topic === 'language' && /^(?:switch|speak|talk)/i.test(verb)));
}

function baseOf(verb: string): string {
  const lower = verb.toLowerCase();
  const bases: Readonly<Record<string, string>> = {
    using: 'use',
    doing: 'do',
    working: 'work',
    going: 'go',
    taking: 'take',
    writing: 'write',
    committing: 'commit',
    communicating: 'communicate',
    setting: 'set',
    including: 'include',
    running: 'run',
    formatting: 'format',
    giving: 'give',
    making: 'make',
    translating: 'translate',
    citing: 'cite',
    providing: 'provide',
    replying: 'reply',
  };
  const [first = '', ...others] = lower.split(' ');
  return [bases[first] ?? first.replace(/ing$/, ''), ...others].join(' ');
}

const SMALL = new Set(
  'a an the your our my their its all any some to of in on at with as for only more less very main preferred new dedicated regular'.split(
    ' ',
  ),
);

function topicOf(verb: string, object: string): string {
  const [, purpose] = /\b(?:as|for)(?: (?:the|our|your|all|any))* ([\w\s-]+)$/i.exec(object) ?? [];
  const words = (purpose ?? object.replace(/^(?:using|to use|doing) /i, ''))
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, ' ')
    .split(/\s+/)
    .filter((word) => word !== '' && !SMALL.has(word) && !/^\d+$/.test(word))
    .slice(0, 2)
    .map((word) => word.replace(/(?<=[a-z]{3})s$/, ''));
  const topic = words.join('_') || verb;
  return purpose === undefined && !/^(?:use|avoid)/.test(verb) ? `${verb.replaceAll(' ', '_')}_${topic}` : topic;
}
