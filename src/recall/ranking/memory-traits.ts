/** What a text says about itself, whatever is asked. Kept as bits, two bytes a memory. */
export const ASKS = 1;
export const TELLS_TIME = 2;
export const TELLS_NUMBER = 4;
export const SPEAKS_TO_OTHER = 8;
export const NAMES_SOMETHING = 16;
export const SPEAKS_OF_SELF = 32;
export const REACTS = 64;
export const IS_LIST = 128;
export const TELLS_PREFERENCE = 256;
export const NEGATES = 512;

const TIME =
  /\b(yesterday|today|tonight|tomorrow|last|next|ago|weeks?|weekends?|months?|years?|(mon|tues|wednes|thurs|fri|satur|sun)day|since|recently|morning|night|\d{4})\b/i;
const MONTH = /\b(january|february|march|april|may|june|july|august|september|october|november|december)\b/i;
const NUMBER = /\b(\d+|one|two|three|four|five|six|seven|eight|nine|ten|once|twice|couple|few|several|dozen)\b/i;
const OTHER = /\b(you|your|yours|you're|you've)\b/i;
/** How people begin who answer without telling anything. */
const REACTION =
  /^\W*(wow|thanks|thank|that's|that is|sounds|nice|cool|great|awesome|congrats|congratulations|yeah|yes|haha|lol|hey|hi|hello|ok|okay|sure|absolutely|totally|glad|good|love|no problem|you're|bye|take care)\b/i;
const NAME_INSIDE = /[a-z,;] +(?!I\b)[A-Z][a-z]+/;
const SELF = /\b(I|my|me|I'm|I've|we|our)\b/;
const LIST = /(^|\n)\s*([-*•]|\d+[.)])\s.*\n\s*([-*•]|\d+[.)])\s/;

const PREFERENCE =
  /\b(prefers?|favou?rite|likes?|loves?|enjoys?|hates?|dislikes?|avoids?|allerg(y|ic|ies)|intoleran\w+|coeliac|celiac|diabetic|vegan|vegetarian|pescatarian|halal|kosher|always|never|nothing but|(mad|crazy|keen|hooked) (about|on)|fan of|fond of|into|wants?|please|only (eats?|drinks?|wears?|listens?|reads?)|can(no|')?t (have|eat|drink|stand|bear)|must not|rather|usually)\b/i;
const NEGATION =
  /\b(no|not|never|none|nobody|nothing|neither|nor|without|cannot|can't|won't|isn't|aren't|wasn't|weren't|don't|doesn't|didn't|hasn't|haven't|hadn't|couldn't|wouldn't|shouldn't|no longer|hates?|dislikes?|avoids?|refus\w+|declin\w+|reject\w+|cancel\w*|fail\w*|stopped|quit|lost|unable|instead of|turned (me|us|him|her|it|them)? ?down|called off|(is|are|was|were) off|fell through|allerg\w+)\b/i;
export function traitsOf(text: string): number {
  return (
    (text.trimEnd().endsWith('?') ? ASKS : 0) |
    (TIME.test(text) || MONTH.test(text) ? TELLS_TIME : 0) |
    (NUMBER.test(text) ? TELLS_NUMBER : 0) |
    (OTHER.test(text) ? SPEAKS_TO_OTHER : 0) |
    (NAME_INSIDE.test(text) ? NAMES_SOMETHING : 0) |
    (SELF.test(text) ? SPEAKS_OF_SELF : 0) |
    (REACTION.test(text) ? REACTS : 0) |
    (LIST.test(text) ? IS_LIST : 0) |
    (PREFERENCE.test(text) ? TELLS_PREFERENCE : 0) |
    (NEGATION.test(text) ? NEGATES : 0)
  );
}
