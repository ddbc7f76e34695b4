/** What a cue asks for, as far as its words tell; in English. */
export interface CueTraits {
  readonly asks: boolean;
  readonly asksNumber: boolean;
  readonly asksPreference: boolean;
  readonly negates: boolean;
}

const ASKS =
  /\?\s*$|^\W*(who|whose|whom|what|when|where|which|why|how|is|are|was|were|do|does|did|can|could|will|would|should|has|have|had|am|may)\b/i;
const NUMBER =
  /\b(how (much|many|old|long|far|tall|often|big|high|heavy|late|early)|what time|cost|costs|price|prices|fee|rent|pay|owe|number|age|amount|percentage|weigh|height|score|salary|budget)\b/i;
const PREFERENCE =
  /\b(prefers?|favou?rites?|likes?|loves?|enjoys?|hates?|dislikes?|avoid|allerg\w+|intoleran\w+|diet\w*|restrictions?|eat|eats|drink|drinks|cook|food|meal|dinner|lunch|snack|gift|present|wants?|rather|kind of (music|film|movie|book|food)s?|taste|how does \w+ take|style|should I (not )?(cook|bring|serve|buy|order|give|avoid|get)|(long|short) answers?)\b/i;
/** What is asked for is a place, a time, a person or a number, and what somebody likes only where that is said. */
const OTHER_ANSWER = /^\W*(where|when|who|whose|what time|how (much|many|long|old|far))\b/i;
const LIKES = /\b(prefers?|favou?rites?|likes?|loves?|enjoys?|hates?|dislikes?|avoid|allerg\w+|intoleran\w+|rather)\b/i;
const NEGATION = /\b(not|never|no longer|without|cannot|nobody|none|avoid)\b|n't\b/i;
export function cueTraitsOf(text: string): CueTraits {
  return {
    asks: ASKS.test(text),
    asksNumber: NUMBER.test(text),
    asksPreference: PREFERENCE.test(text) && (!OTHER_ANSWER.test(text) || LIKES.test(text)),
    negates: NEGATION.test(text),
  };
}
