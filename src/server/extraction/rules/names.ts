import { DOT } from './typed-text.ts';

/** A name of one to three words. */
export const NAME = `[A-Z][\\p{L}'’${DOT}-]+(?: (?:[A-Z][\\p{L}'’${DOT}-]+|[A-Z]${DOT})){0,2}`;
/** A place: "Rio de Janeiro", "St. Gallen", "Portland, Oregon". */
export const PLACE = `[A-Z][\\p{L}'’${DOT}-]+(?:(?: (?:de|del|la|le|of|the|am|upon))* [A-Z][\\p{L}'’${DOT}-]+){0,3}(?:, [A-Z][\\p{L}${DOT}]+(?: [A-Z][\\p{L}]+)?)?`;

/** Words that no name has, where names may have no capital letter. */
const NO_NAME_WORD =
  "an?|the|my|your|his|her|their|our|its|this|that|these|those|some|any|no|all|each|every|both|another|and|or|but|so|because|since|when|where|who|which|what|why|how|if|then|than|as|of|in|on|at|to|for|from|with|without|by|near|about|around|over|under|into|onto|out|up|down|off|after|before|during|until|till|between|next|last|now|today|tomorrow|yesterday|tonight|currently|again|already|still|yet|soon|later|right|just|really|very|too|also|only|even|not|never|always|sometimes|often|once|twice|i|me|myself|we|us|you|he|she|they|them|him|it|it's|is|are|was|were|be|been|am|have|has|had|do|does|did|will|would|can|could|should|may|might|must|get|got|please|thanks|thank|here|there|home|town|bed|work|school|day|night|lunch|dinner|one|two|three|many|most|more|much|lots|anymore|instead|though|although|actually|basically|literally|honestly|there's|luckily|sadly|peace|fear|hell|heaven|sin|denial|pain|misery|constant|student|shared|rented|different|small|big|huge|tiny|new|old|own|same|other|first|something|nothing|everything|someone|anyone|nobody|people|weekends?|evenings?|mornings?|nights?|hours|free|fun|money|living|ages|years?|months?|weeks?|days?|mostly|alone|together|abroad|remotely|late|early|peanuts|plan|good|bad|better|ever|originally|permanently|temporarily|recently|finally|happily|officially|full-time|part-time|fridays|mondays|crazy|weird|lately|not";
/** Names that end as verbs do. */
const ENDS_AS_VERB = 'beijing|reading|wyoming|nanjing|flushing|spring|king|sterling|boeing|kroger|ing';
const TYPED_WORD = `(?:new (?=(?:york|zealand|delhi|orleans|jersey|haven|mexico|england|hampshire|plymouth)\\b)|(?!(?:${NO_NAME_WORD})(?![\\p{L}\\d'-]))(?!(?!(?:${ENDS_AS_VERB})\\b)[\\p{L}]+(?:ing|n't)\\b)[\\p{L}])[\\p{L}\\d'’&${DOT}-]+`;
const TYPED_NAME = `${TYPED_WORD}(?: ${TYPED_WORD}){0,2}`;

/** Letters of names in a class: with `\\p{L}` and both flags `i` and `u`, patterns take long to compile. */
const LETTERS = 'a-z\\u00c0-\\u024f\\u0370-\\u03ff\\u0400-\\u04ff';
const AT_BEGIN = new RegExp(`^(?:${TYPED_NAME})`.replaceAll('\\p{L}', LETTERS), 'i');

/** The name at the beginning of a text that may have no capital letters; '' without one. */
export function typedNameAt(text: string): string {
  return AT_BEGIN.exec(text)?.[0] ?? '';
}

/** A pattern of names as one for messages in which names may have no capital letter. */
export function typedPattern(pattern: RegExp): RegExp {
  const { source, flags } = pattern;
  if (!(source.includes(NAME) || source.includes(PLACE))) return pattern;
  const typed = source.replaceAll(NAME, TYPED_NAME).replaceAll(PLACE, TYPED_NAME).replaceAll('\\p{L}', LETTERS);
  return new RegExp(typed, flags.replace('u', ''));
}

/** True of a name: a word that is written with a capital letter or a digit, or has a mark that only names have. */
export function isProper(text: string): boolean {
  return new RegExp(`\\b[A-Z][\\w.+#/-]*|\\b\\w+[${DOT}+#]\\w*|\\d`).test(text);
}

/** Words after "I'm" that are states, feelings, exclamations or famous characters, but no names. */
const STATES = new Set(
  (
    'hungry thirsty tired sleepy exhausted bored sad happy glad angry mad upset sick ill well fine good great ok okay alright bad better done finished ready busy late early home back here there away out in lost stuck confused sorry sure unsure afraid scared worried nervous anxious excited curious grateful thankful lonely alone single married divorced engaged pregnant dead alive free broke rich poor drunk sober high hot cold warm wet awake asleep new old young fat thin tall short short-sighted male female gay straight bi trans human vegan vegetarian pescatarian right wrong serious kidding joking lucky unlucky proud jealous embarrassed stressed overwhelmed impressed interested into about on off up down all so very really not just also still always never the a an from at with to like trying looking using working going having getting feeling thinking doing being making learning living your you my his her our their it that this what how why when where who gonna over under between jobless unemployed retired interested available online offline confused clueless hopeless helpless speechless shocked amazed amused annoyed pissed furious sweating freezing starving dying crying melting healthy injured allergic diabetic blind deaf left-handed right-handed stupid dumb smart weird crazy insane lazy messy shy quiet weak strong legend trash french german dutch greek swiss irish muslim jewish hindu buddhist ' +
    'batman superman spiderman spartacus groot ironman iron hulk thor joker bond sherlock god jesus santa yoda voldemort legion inevitable barbie ken neo gandalf hercules zorro robin'
  ).split(' '),
);

/** True of a word that is a name after "I'm", which also states and exclamations follow. */
export function isNameOfSpeaker(name: string): boolean {
  const [first = ''] = name.toLowerCase().split(/\s/);
  return !STATES.has(first) && !/^[A-Z]{2,}$/.test(name) && !/(?:ing|ish|ese|ian|ican|ean|ed|n't)$/.test(first);
}
