const LANGUAGES =
  'english|french|spanish|german|italian|portuguese|dutch|danish|swedish|norwegian|finnish|icelandic|polish|czech|slovak|hungarian|romanian|bulgarian|serbian|croatian|slovenian|greek|turkish|russian|ukrainian|latvian|lithuanian|estonian|arabic|hebrew|persian|farsi|hindi|urdu|bengali|tamil|telugu|punjabi|chinese|mandarin|cantonese|japanese|korean|vietnamese|thai|indonesian|malay|tagalog|swahili|catalan|basque|galician|welsh|irish|latin|esperanto|afrikaans';
const CODE = 'python|typescript|javascript|java|go|rust|ruby|php|kotlin|swift|scala|c\\+\\+|c#|sql|bash|perl|haskell';

function words(pattern: string): RegExp {
  return new RegExp(`\\b(?:${pattern})(?![\\p{L}\\d])`, 'iu');
}

/** What an instruction about answers is about. A later instruction of a topic replaces the one before. */
const TOPICS: readonly (readonly [string, RegExp])[] = [
  [
    'code_language',
    new RegExp(`\\bcode\\b.*\\b(?:in|use) (?:${CODE})(?![\\p{L}\\d])|\\b(?:${CODE})\\b.*\\bcode\\b`, 'iu'),
  ],
  ['spelling', words('(?:british|american|canadian|australian|uk|us) spelling|spelling')],
  [
    'language',
    words(
      `(?:(?:in|to|speak|use|using|talk|only) )?(?:[\\p{L}]+ )?(?:${LANGUAGES})|(?:my|your|their) (?:native |own )?language`,
    ),
  ],
  ['emoji', words('emojis?|emoticons?|smileys?')],
  [
    'units',
    words(
      'metric|imperial|celsius|fahrenheit|kelvin|kilomet(?:er|re)s?|kilograms?|miles|km|kg|lbs|pounds|inches|feet|met(?:er|re)s|units?',
    ),
  ],
  [
    'time_format',
    words('(?:24|12|twenty-four|twelve)[- ]?(?:hours?|h)(?: clock| format| time)?|military time|am\\/pm|time format'),
  ],
  [
    'date_format',
    words('date format|iso dates?|(?:dd|mm|yyyy)[\\/.-](?:dd|mm)\\S*|(?:european|american|us|iso) dates?'),
  ],
  ['currency', words('in (?:euros?|dollars?|usd|eur|gbp|chf|yen|rupees)|currency')],
  [
    'format',
    words(
      'bullet(?:ed)?(?:[- ]points?| lists?)?|bullets|(?:numbered |short )?lists?|markdown|plain text|tables?|json|yaml|xml|html|csv|prose|paragraphs?|headings?|headers|bold|essays?|formatting',
    ),
  ],
  [
    'level',
    words(
      "(?:simple|plain|easy) (?:words|terms|language)|layman'?s?(?: terms)?|jargon|eli5|like I'?m (?:five|5|a child)|technical terms|beginner(?:'?s)?|as (?:an expert|a beginner)",
    ),
  ],
  [
    'length',
    words(
      'short(?:er|ly)?|brief(?:ly|er)?|concise(?:ly)?|succinct(?:ly)?|terse|long(?:er)?|lengthy|detail(?:s|ed)?|in[- ]depth|verbose|thorough(?:ly)?|elaborate|(?:one|two|three|a few|\\d+) (?:sentences?|words|lines|paragraphs?)|to the point|summar(?:y|ies)',
    ),
  ],
  [
    'tone',
    words(
      'formal(?:ly)?|informal(?:ly)?|casual(?:ly)?|friendly|polite(?:ly)?|professional(?:ly)?|sarcas(?:tic|m)|funny|humou?r(?:ous)?|jok(?:es?|ing)|serious|playful|warm|blunt|direct|honest|cheerful|neutral|tone|nice|rude|strict|enthusiastic|encouraging|chatty|pirate|laid-back|relaxed|normal(?:ly)?',
    ),
  ],
  ['sources', words('sources?|citations?|references?|cite|footnotes?|links')],
  ['questions', words('(?:clarifying|follow-?up) questions?|ask (?:me )?(?:questions?|before|first)')],
  ['steps', words('step[- ]by[- ]step|steps')],
  ['apologies', words('apologi[sz]e|apologies|sorry')],
  ['disclaimers', words('disclaimers?|warnings?|caveats?')],
];

/** The topic of an instruction about answers; undefined for an instruction about something else. */
export function answerTopicOf(verb: string, object: string): string | undefined {
  const [, purpose] =
    /\b(?:for|in|on)(?: (?:the|our|your|all|any|every|this|that))+ ([\w-]+)(?: [\w-]+)?$/i.exec(object) ?? [];
  if (
    purpose !== undefined &&
    !/^(?:answers?|repl(?:y|ies)|responses?|messages?|explanations?|conversations?|chats?|future|everything|same|style|format|tone)$/i.test(
      purpose,
    )
  )
    return undefined;
  if (/\bfor (?!me\b|all\b|every|your\b|now\b|everything\b|answers?\b|responses?\b|explanations?\b)\w+/i.test(object))
    return undefined;
  const text = `${verb} ${object}`;
  return TOPICS.find(([, pattern]) => pattern.test(text))?.[0];
}
