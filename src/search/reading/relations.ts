/**
 * A relation that has one value at a time, such as where a person lives. English. Patterns match a sentence whose first
 * letter is small.
 */
export interface Relation {
  readonly name: string;
  /** A question for its value. */
  readonly asked: RegExp;
  /** A statement of a value, or of a change of it, whatever its tense. */
  readonly stated: RegExp;
  /** Words of its questions. */
  readonly words: readonly string[];
  /** Owned nouns that name its value: "Lena's address", "my new address". */
  readonly nouns?: RegExp;
  /** Words of its statements, which find them without a word of the question. */
  readonly sought: readonly string[];
  /** Statements are about one subject only if they name the same thing: "I love sushi", "I hate sushi". */
  readonly isOfThing?: boolean;
  /** Its value is yes or no. */
  readonly isYesNo?: boolean;
}

/** Nouns of persons and pets: "my sister moved" says nothing about me. */
export const PERSON_NOUNS =
  'wife|husband|spouse|partner|girlfriend|boyfriend|fiancée?|son|daughter|child|kid|baby|brother|sister|mother|father|mom|mum|dad|parents?|grandmother|grandfather|grandma|grandpa|aunt|uncle|cousin|niece|nephew|boss|manager|supervisor|mentor|colleague|assistant|(?:best |school )?friend|room ?mate|flat ?mate|neighbou?r|landlord|landlady|tenant|doctor|gp|dentist|therapist|teacher|trainer|coach|lawyer|accountant|dog|cat|puppy|kitten|pet|horse|parrot|rabbit|hamster';

/** What follows a noun where its value is stated: no state or event of the thing. */
const VALUE =
  '(?: name| number)?(?: now| currently)?(?: is| are| was| will be|:)(?: now| currently| still)? (?!(?:not?|so|very|really|too|always|being|broken|dead|late|early|sick|ill|great|good|bad|nice|fine|full|empty|dirty|clean|angry|away|back|gone|lost|expensive|cheap|small|big|cold|warm|ready|done|closed|open|quiet|loud|[a-z]+ing|[a-z]+ed)\\b)';
const NEW_VALUE =
  ' (?:changed|moved|switched|has become|became|(?:was|has been|is) (?:changed|moved|replaced|switched|set))\\b';
const OF = '(?:new |current |usual |former |old |own |main )?';

interface Described {
  readonly asked: string;
  readonly stated: string;
  readonly nouns?: string;
  readonly sought: string;
  readonly isOfThing?: boolean;
  readonly isYesNo?: boolean;
}

const IN_QUESTION = "\\b(?:my|our|his|her|their|the|'s|what|which|whose|of)";

function relation(name: string, { asked, stated, nouns, sought, ...kind }: Described): Relation {
  const owned = nouns && `${OF}(?:${nouns})`;
  const says = owned
    ? [
        `\\b${owned}(?: of [\\p{L}' ]{1,30})?(?:${VALUE}|${NEW_VALUE})`,
        `\\bnew (?:${nouns})s?\\b`,
        `\\b(?:chang(?:ed|es|ing)|switch(?:ed|es|ing)|replac(?:ed|es|ing)|swapp?(?:ed|s|ing)) (?:(?:my|his|her|their|our|the|an?) )?${owned}s?\\b`,
        `(?:\\b(?:is|am|are|was|as|become|became|be)|'s|'m) (?:now )?(?:my|our|his|her|their|[\\p{L}]+'s?) ${owned}\\b`,
        `\\b(?:replaced|succeed(?:s|ed)|followed) (?:my|our|his|her|their|the|[\\p{L}]+'s) ${owned}\\b`,
      ]
    : [];
  return {
    name,
    asked: new RegExp([asked, ...(owned ? [`${IN_QUESTION} ${owned}\\b`] : [])].filter(Boolean).join('|'), 'iu'),
    stated: new RegExp([stated, ...says].filter(Boolean).join('|'), 'iu'),
    words: [...new Set(`${asked} ${nouns ?? ''} ${sought}`.match(/(?<!\\)[a-z]{2,}/g) ?? [])],
    sought: sought.split(' '),
    ...(owned && { nouns: new RegExp(`^${owned}\\b`, 'iu') }),
    ...kind,
  };
}

const DAY = '(?:mon|tues|wednes|thurs|fri|satur|sun)days?';
const LANGUAGE =
  'english|french|german|spanish|italian|portuguese|dutch|danish|swedish|norwegian|finnish|icelandic|polish|czech|slovak|hungarian|romanian|bulgarian|greek|turkish|russian|ukrainian|croatian|serbian|slovenian|estonian|latvian|lithuanian|welsh|irish|gaelic|basque|catalan|arabic|hebrew|persian|farsi|hindi|urdu|bengali|tamil|thai|vietnamese|indonesian|malay|mandarin|cantonese|chinese|japanese|korean|swahili|latin|esperanto|sign language';
const OCCUPATION =
  '(?:[a-z]+ )?(?!smoker|runner|lover|reader|member|partner|brother|sister|mother|father|daughter|customer|player|user|owner|swimmer|drinker|eater|patient|student|vegetarian|dinner|winter|corner)[a-z]*(?:er|or|ist|ian|ant|ent|eer|man|woman|nurse|chef|pilot|cook|clerk|judge|lead|intern|architect|barista|professor)';

/** Relations of everyday life and work. */
export const RELATIONS: readonly Relation[] = [
  relation('home', {
    asked:
      '\\bwhere\\b.*\\b(?:liv(?:e|es|ed|ing)|resid\\w+|based|home|hous\\w+)\\b|\\b(?:city|town|country|street|place|neighbou?rhood|village|area|district|state)\\b.*\\b(?:liv\\w+|resid\\w+|based)\\b',
    stated: `\\b(?:lives?|lived|living|resid(?:es?|ed|ing)|based|settled|settling)(?: \\w+)? (?:in|at|near|on)\\b|\\b(?:mov(?:ed|es|ing)|relocat(?:ed|es|ing)|emigrated)(?: back| over| away| out| house| home| away| again| from [\\p{L} ]{2,24})*(?: to| into| in with) (?!(?:the|an?|${DAY}|\\d|next|last) ?)|\\b(?:flat|apartment) in\\b`,
    nouns:
      'home(?: ?town| address| city)?|address|residence|city|(?:new )?(?:place|flat|apartment|house)(?= (?:is|are) in\\b)',
    sought: 'live lives lived living moved moving relocated settled based home flat apartment address place',
  }),
  relation('work', {
    asked:
      '\\bwhere\\b.*\\b(?:work\\w*|employed|job)\\b|\\bwho\\b.*\\b(?:work(?:s|ing)? (?:for|with)|employs?)\\b|\\b(?:company|firm|organi[sz]ation|business|office)\\b.*\\b(?:work\\w*|employ\\w*)\\b',
    stated: `\\bwork(?:s|ed|ing)?(?: now| full-time| part-time| again)? (?:at|for|with)\\b|\\b(?:start(?:ed|s|ing)?(?: work(?:ing)?| a job| my job| a new job)?|beg[au]n(?: work(?:ing)?)?|job|position|role|employed|hired|internship|apprenticeship|first day|last day) (?:at|by|with|for|in) (?!the (?:morning|evening|gym)|${DAY})|\\bjoin(?:ed|s|ing) (?!(?:the|an?|us|me|him|her|them)\\b)|\\b(?:employed|hired) by\\b|\\b(?:left|quit) (?:\\p{L}+ )?(?:for|and)\\b|\\b(?:laid off|got fired|retired|unemployed|self-employed|freelanc\\w+)\\b`,
    nouns: 'employer|company|firm|workplace|job(?= (?:is|was) (?:at|with)\\b)',
    sought: 'works work working started joined hired employed job employer company day left',
  }),
  relation('role', {
    asked:
      '\\bdo(?:es)?\\b.*\\bfor a living\\b|\\bwhat (?:kind|sort|type|line) of (?:work|job)\\b|\\bwhat\\b.*\\b(?:work|working|employed) as\\b|\\bwhat\\b.*\\bearn\\b.*\\bliving\\b',
    stated: `\\b(?:work(?:s|ed|ing)?|job|living|employed|retrained|trained|promoted|hired|start(?:ed|s|ing)|career)\\b(?: now)? (?:as|to) |(?<!\\b(?:it|this|that|which|there|what|here) )\\b(?:is|am|became|become|becoming|i'm) (?:now |still |currently )?an? ${OCCUPATION}(?=[.,!;]|$| (?:at|in|for|by|now|and|with|this|on)\\b)|\\b(?:promoted|retrained)\\b|\\bswitched careers?\\b`,
    nouns: 'job(?: title)?|profession|occupation|trade|career|role|position|title',
    sought: 'works work working job profession living became retrained promoted career as',
  }),
  relation('diet', {
    asked:
      '\\b(?:vegetarian|vegan|pescatarian|diet)\\b|\\beats? (?:meat|fish)\\b|\\bwhat (?:kind|sort|type) of food\\b.*\\beat',
    stated:
      "\\b(?:vegetarian|vegan|pescatarian|omnivor\\w+|gluten-free|plant-based|keto)\\b|\\b(?:eat|eats|eating|ate|had|have|has)\\b[^.!?]*\\b(?:meat|fish|steak|pork|beef|chicken)\\b[^.!?]*\\b(?:again|any ?more|these days|now)\\b|\\b(?:no longer|stopped|quit|gave up|don't|doesn't|only) (?:eat(?:s|ing)? )?(?:meat|fish|dairy)\\b",
    nouns: 'diet',
    sought: 'vegetarian vegan diet meat fish steak eat eats food',
  }),
  relation('marital status', {
    asked: '\\b(?:married|single|divorced|engaged|widowed|marital|relationship)\\b',
    stated:
      '\\b(?:married|engaged|single|divorced|widowed|separated|wedding|relationship)\\b|\\b(?:broke|split|broken) up\\b|\\bgot hitched\\b|\\bproposed to\\b',
    nouns: 'marital status|relationship status',
    sought: 'married engaged single divorced wedding broke separated relationship widowed',
  }),
  relation('partner', {
    asked:
      '\\bwho\\b.*\\b(?:dat(?:e|es|ing)|going out with|together with|seeing|married to)\\b|\\bwho(?:se|m)?\\b.*\\b(?:girlfriend|boyfriend)\\b',
    stated:
      '\\b(?:dat(?:ing|es)|going out with|went out with|seeing|together with|in love with|married(?: to)?|engaged to|a couple)\\b|\\b(?:broke|split|broken) up\\b',
    nouns: 'partner|girlfriend|boyfriend|wife|husband|spouse|fiancée?',
    sought: 'partner girlfriend boyfriend dating seeing married couple together love broke engaged going',
  }),
  relation('car', {
    asked:
      '\\b(?:car|vehicle)\\b.*\\b(?:driv\\w+|have|has|own\\w*|buy)\\b|\\b(?:what|which)\\b.*\\bdriv(?:e|es|ing)\\b',
    stated:
      '\\b(?:drives?|driving|drove) an?\\b|\\b(?:bought|leased|picked up|switched to) (?:an? |the |my |his |her )?(?:brand )?(?:new |used |old |electric )*[\\p{L}\\d]+[^.!?]*\\b(?:car|dealer|van|suv)\\b|\\b(?:car|van)\\b[^.!?]*\\bfor an?\\b|\\b(?:gets?|getting) around in\\b',
    nouns: 'car|vehicle|van',
    sought: 'car drives drive driving bought dealer van picked traded around',
  }),
  relation('phone number', {
    asked:
      '\\b(?:phone|mobile|telephone|cell|number)\\b.*\\b(?:number|reach\\w*|call\\w*|have|has)\\b|\\b(?:call|reach)\\b.*\\bphone\\b|\\b(?:which|what) number\\b',
    stated:
      '\\b(?:phone|mobile|number|call|reach\\w*|text|telephone)\\b[^.!?]*\\d{3}|\\d{3}[^.!?]*\\b(?:reach|call)\\b',
    nouns: '(?:phone |mobile |telephone |cell )?number|phone|mobile',
    sought: 'number phone mobile call reach reached numbers telephone',
  }),
  relation('email', {
    asked: '\\be-?mail\\b',
    stated: '\\S@\\S+\\.\\w',
    nouns: 'e-?mail(?: address)?',
    sought: 'email mail com',
  }),
  relation('doctor', {
    asked: '\\b(?:doctor|gp|physician)\\b',
    stated:
      '\\b(?:sees?|seeing|goes to|go to|went to|patient of|treated by|treats|with|under) (?:a )?(?:dr\\b|doctor)|\\bchanged doctors?\\b',
    nouns: 'doctor|gp|physician',
    sought: 'doctor dr gp patient physician',
  }),
  relation('dentist', {
    asked: '\\bdentist\\b',
    stated: '\\bdentist\\b[^.!?]*\\b(?:is|now|called)\\b',
    nouns: 'dentist',
    sought: 'dentist',
  }),
  relation('boss', {
    asked: '\\bwho\\b.*\\b(?:report(?:s|ing)? to|manages?|supervises?|in charge of|work(?:s|ing)? under)\\b',
    stated:
      '\\breport(?:s|ed|ing)? to\\b|\\bwork(?:s|ing)? under\\b|\\b(?:manages|supervises|took over as|is in charge of)(?: (?!the)\\p{L}+)?\\b',
    nouns: 'boss|manager|supervisor|team lead|line manager|superior',
    sought: 'boss manager reports report under supervisor manages took replaced',
  }),
  relation('team', {
    asked: '\\b(?:team|department|squad|division)\\b.*\\b(?:in|on|work\\w*|belong\\w*|member|part)\\b',
    stated:
      '\\b(?:is|am|are|works?|working|moved|moving|joined|joining|transferred|switched|belongs?|member|part)\\b(?: now)?(?: in| on| to| of| into| with)? (?:the |our |my |his |her |their )?(?:[\\p{L}-]+ ){0,2}(?:team|department|squad|division)\\b',
    nouns: 'team|department|squad|division',
    sought: 'team department squad transferred',
  }),
  relation('school', {
    asked:
      '\\bwhere\\b.*\\b(?:stud(?:y|ies|ying)|student|enrolled|school|university|college)\\b|\\b(?:university|school|college)\\b.*\\b(?:go|goes|attend\\w*|stud\\w+)\\b',
    stated: `\\b(?:stud(?:y|ies|ying|ied)|student|enrolled|degree|began|started|transferred) (?:at|in|to) (?:the )?\\p{Lu}|\\b(?:attend(?:s|ed|ing)?|transferred to|enrolled (?:at|in)|got into|graduated from|dropped out of)\\b|\\b(?:goes?|going|changed|switched|moved) to (?:[\\p{L}]+ )*(?:university|college|school|academy|institute|eth|mit)\\b|\\bstudent (?:at|of)\\b`,
    nouns: 'school|university|college',
    sought: 'studies study student university college school attends enrolled transferred changed got',
  }),
  relation('language', {
    asked: '\\blanguages?\\b',
    stated: `\\b(?:learn(?:s|ing|ed)?|stud(?:y|ies|ying)|speaks?|switched to) (?:\\p{L}+ )?(?:${LANGUAGE})\\b|\\b(?:${LANGUAGE}) (?:lessons?|class(?:es)?|course)\\b`,
    nouns: 'language(?: course| class)?',
    sought: 'learning language lessons course classes studies study switched',
  }),
  relation('instrument', {
    asked: '\\binstruments?\\b|^\\W*what (?:do(?:es)?|can) \\p{L}+ play\\b|^\\W*(?:what|which) instruments?\\b',
    stated:
      '\\b(?:play(?:s|ing|ed)?|practi[sc](?:es?|ed|ing)|learn(?:s|ing)?|took up|takes? up|switched to|traded [^.!?]*for|gave up) (?:on )?(?:the |an? )(?!field|game|role|ball)\\p{L}+',
    nouns: 'instrument',
    sought: 'plays play playing practises practices learning instrument took switched practise practice',
  }),
  relation('bank', {
    asked: '\\bbank(?:s|ing)?\\b',
    stated:
      '\\bbank(?:s|ing)? (?:with|at)\\b|\\b(?:account|savings|customer) (?:at|with|to|of|from)\\b|\\bswitched banks?\\b|\\b(?:account|savings)\\b[^.!?]*\\b(?:at|with|to)\\b|\\bkeeps? (?:\\p{L}+ )*savings\\b',
    nouns: 'bank',
    sought: 'bank banks account savings customer',
  }),
  relation('pet', {
    asked: '\\bpets?\\b|\\b(?:what|which) animals?\\b',
    stated:
      '\\b(?:as|for) (?:a|my|her|his) pet\\b|\\b(?:adopted|bought|got|keeps?|owns?|has|have) (?:an? |another )(?:[\\p{L}]+ )?(?:dog|cat|puppy|kitten|parrot|rabbit|hamster|horse|pony|tortoise|turtle|ferret|beagle|poodle|labrador|terrier|hound|guinea pig|gecko|snake|goldfish|budgie|canary)\\b',
    nouns: 'pet|dog|cat',
    sought: 'pet adopted dog cat puppy kitten keeps owns',
  }),
  relation('smoking', {
    asked: '\\bsmok(?:e|es|er|ing)\\b|\\bcigarettes?\\b',
    stated: '\\bsmok(?:e|es|er|ed|ing)\\b|\\bcigarettes?\\b|\\bvap(?:e|es|ing)\\b',
    sought: 'smokes smoke smoker smoking smoked cigarettes cigarette',
    isYesNo: true,
  }),
  relation('commute', {
    asked:
      '\\bhow\\b.*\\b(?:get|gets|getting|go|goes|going|travel\\w*|come|comes) to (?:\\w+ )?(?:work|office|school)\\b|\\bcommut\\w+\\b|\\bgetting to (?:the )?(?:work|office)\\b',
    stated:
      '\\bcommut\\w+\\b|\\b(?:to|get to|go to) (?:the )?(?:work|office)\\b[^.!?]*\\bby\\b|\\b(?:takes?|rides?|driv\\w+|cycles?|walks?|took|rode|by)\\b[^.!?]*\\bto (?:the )?(?:work|office)\\b',
    nouns: 'commute|way to work',
    sought: 'commute commutes work office rides takes ride take',
  }),
  relation('weight', {
    asked: '\\bweigh(?:s|t)?\\b|\\bhow heavy\\b',
    stated: '\\bweigh(?:s|ed|t|ing)?\\b|\\d+(?:[.,]\\d+)? ?(?:kg|kilos?|pounds|lbs?)\\b',
    nouns: 'weight',
    sought: 'weight weighs weigh kg kilos pounds',
  }),
  relation('age', {
    asked: '\\bhow old\\b|\\bage\\b',
    stated: '\\b\\d{1,3} years old\\b|\\bturn(?:ed|s|ing) \\d{1,3}\\b|\\b\\d{1,3}th birthday\\b',
    nouns: 'age',
    sought: 'old turned birthday years',
  }),
  relation('morning drink', {
    asked: '\\bdrinks?\\b|\\bstart(?:s|ing)? the day\\b',
    stated: '\\bdrinks?\\b|\\b(?:for|at) breakfast\\b|\\bstart(?:s|ing)? the day\\b',
    nouns: 'morning drink|drink',
    sought: 'drinks drink breakfast morning',
  }),
  relation('training day', {
    asked:
      '\\b(?:when|what day|which day|what time|days?)\\b.*\\b(?:train|trains|training|gym|practi[sc]e|lessons?|class)\\b|\\bgym day\\b',
    stated: `\\b(?:train|trains|training|gym|practi[sc]e|lessons?|class)\\b[^.!?]*\\b${DAY}`,
    nouns: 'gym day|training(?: day)?|gym',
    sought: 'gym training trains train practice lessons',
  }),
  relation('computer', {
    asked: '\\b(?:laptop|computer|notebook|machine)\\b',
    stated:
      '\\b(?:laptop|computer|notebook)\\b|\\b(?:types?|upgraded|works?|switched|using|uses?) (?:everything )?(?:on |to )?(?:an? )(?:\\p{L}+ )?(?:thinkpad|macbook|zenbook|surface|chromebook|pc|mac|latitude|framework)\\b|\\buses an? \\p{L}+[.!]?$|\\bupgraded to an?\\b|\\btypes? everything on\\b',
    nouns: 'laptop|computer|notebook',
    sought: 'laptop computer notebook upgraded replaced types uses use',
  }),
  relation('editor', {
    asked: '\\beditors?\\b|\\bwrites? (?:\\w+ )?code\\b|\\bcode in\\b',
    stated: '\\b(?:writes?|writing|wrote) (?:\\p{L}+ )?code\\b|\\bcodes? in\\b|\\beditors?\\b|\\bedit(?:s|ing)\\b',
    nouns: '(?:code |text )?editor|ide',
    sought: 'editor editing code edits writes write switched',
  }),
  relation('favourite', {
    asked: '\\bfavou?rite\\b|\\blikes? (?:\\w+ )?(?:best|most)\\b|\\bprefers?\\b',
    stated:
      '\\bfavou?rite\\b|\\blikes? [^.!?]*\\b(?:best|most)\\b|\\bprefers?\\b|\\bnothing beats\\b|\\bwould rather\\b|\\bthan anything\\b',
    isOfThing: true,
    sought: 'favourite favorite best prefers prefer rather beats',
  }),
  relation('sleep', {
    asked: '\\b(?:when|what time)\\b.*\\b(?:get up|gets up|wake|wakes|sleep|bed)\\b',
    stated: '\\b(?:gets? up|wakes?|goes to bed|go to bed)\\b[^.!?]*\\d',
    sought: 'wake wakes up bed gets get',
  }),
  relation('likes', {
    asked:
      '^\\W*(?:do|does|is|are|am)\\b.*\\b(?:like|love|enjoy|hate|dislike|fond of|(?:a|big) fan of|into|keen on|stand)\\b|\\b(?:feel|feels) about\\b|\\bthinks? (?:of|about)\\b',
    stated:
      "\\b(?:likes?|loves?|enjoys?|hates?|dislikes?|adores?|detests?|loathes?|fond of|fan of|keen on|crazy about|into|(?:can't|cannot|can not) (?:stand|bear)|went off|gone off|sick of|tired of|had enough of|grown to)\\b",
    sought: 'hates hate stand off dislikes dislike sick like likes',
    isOfThing: true,
  }),
];
