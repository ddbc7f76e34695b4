import { BE, I_OR_WE, named, phrase, type Rule, type RuleClaim, type RuleContext, TO_END } from './rule.ts';

/** Verbs of ongoing activities. */
const ONGOING =
  'building|developing|working on|making|researching|running|leading|managing|writing|designing|targeting|migrating|launching|submitting|recruiting|training for|preparing for|planning|organizing|organising|renovating|restoring|expecting|estimating|extending|transitioning (?:in)?to|focused on|focusing on|moving into|practicing|practising';
/** Verbs of achievements. */
const DONE =
  'hit|closed|added|received|earned|launched|shipped|hired|finished|completed|submitted|reached|won|passed|graduated|published|released|bought|sold|adopted|booked|ran|climbed|redesigned|rebuilt|refactored|deployed|integrated|decided to|decided on|chose|set up|signed up for|enrolled in|started|quit|retired|broke|tried';

function uses(value: string, confidence = 0.8): RuleClaim {
  return { attribute: 'uses', value, text: `{name} uses ${value}.`, confidence };
}

function usesNoMore(value: string): RuleClaim {
  return { attribute: 'uses', value, text: `{name} no longer uses ${value}.`, confidence: 0.8, retracts: true };
}

/**
 * A change from one value to another. The former value ends also where it was never asserted, which changes nothing.
 */
function changed(from: string, to: string, isProper: RuleContext['isProper']): RuleClaim[] {
  const [before, after] = [phrase(from, 6), phrase(to.replace(/ \(.*$/, ''), 7).replace(/ (?:for|to|with|by) .*$/, '')];
  if (before === '' || after === '') return [];
  const text = `{name} switched from ${before} to ${after}.`;
  if (!isProper(before) || !isProper(after)) return [{ attribute: 'switched_to', value: after, text, confidence: 0.8 }];
  return [usesNoMore(before), { ...uses(after, 0.85), text }];
}

export const ACTIVITY_RULES: readonly Rule[] = [
  {
    pattern: new RegExp(
      `${I_OR_WE}(?:${BE})? (?:use|using|have been using|been using|rely on|relying on)(?: to use)? (?<rest>${TO_END})`,
      'g',
    ),
    claims: (part, { isProper }) => {
      const value = phrase(part('rest'), 9).replace(/ (?:for|to|as|in|at|on|obviously|myself)\b.*$/, '');
      const [, kept = '', dropped] = /^(.*?) instead of (.+)$/.exec(phrase(part('rest'), 12)) ?? [];
      if (dropped !== undefined && isProper(kept))
        return [uses(kept.replace(/ (?:as|for) .*$/, '')), usesNoMore(dropped)];
      return value !== '' && isProper(value) ? [uses(value)] : [];
    },
  },
  {
    pattern: new RegExp(
      `\\b(?:I|we|We)(?:${BE})? (?:(?:just |recently |finally |now |actually )*)(?:going to use|started using|switched to|switching to|moved over to|migrated to) (?<rest>${TO_END})`,
      'g',
    ),
    claims: (part, { isProper }) => {
      const whole = phrase(part('rest'), 12);
      const [, kept = whole, dropped] = /^(.*?) (?:instead of|from|over) (.+)$/.exec(whole) ?? [];
      const value = kept.replace(/ (?:for|to|as|in|at|on) .*$/, '');
      if (!isProper(value)) return [];
      return [...(dropped !== undefined && isProper(dropped) ? [usesNoMore(dropped)] : []), uses(value, 0.85)];
    },
  },
  {
    cue: / from /,
    pattern: new RegExp(
      String.raw`\b(?:switch(?:ing|ed)?|migrat(?:ing|ed)|mov(?:ing|ed)(?= (?:our|my|the|over) )|transition(?:ing|ed)|chang(?:ing|ed))(?: (?:our|my|the) [\w -]{2,40}?)?(?: over)? from (?<from>[\w][\w .+#/'-]*?) (?:in)?to (?<to>${TO_END})`,
      'g',
    ),
    claims: (part, { isProper }) =>
      /^(?:one|time|place|home|page|side)\b/.test(part('from')) ? [] : changed(part('from'), part('to'), isProper),
  },
  {
    readsNegation: true,
    pattern: new RegExp(
      String.raw`\b(?:I|we|We)(?:'m|'re| am| are|'ve| have)? (?:just |recently |finally |actually |really |now |completely )*(?:not using|don't use|do not use|no longer use|stopped using|quit using|dropped|dropping|decided to drop) (?:the )?(?<rest>${TO_END})`,
      'g',
    ),
    claims: (part, { isProper }) => {
      const value = phrase(part('rest'), 5).replace(/ (?:version|for|entirely|completely)\b.*$/, '');
      return value !== '' && isProper(value) ? [usesNoMore(value)] : [];
    },
  },
  {
    pattern: /\bI(?:'m|’m| am) on an? (?<rest>[A-Z][^.!?]+)/g,
    claims: (part) => {
      const value = phrase(part('rest'), 5);
      return value === '' ? [] : [uses(value)];
    },
  },
  {
    pattern: new RegExp(
      String.raw`\bI(?:'m|’m| am|'ve been|’ve been| have been| started| just started| also started| want to| would like to|'m trying to| am trying to)(?: also| now| currently| just)? (?:learn(?:ing)?|study(?:ing)?|picking up) (?<rest>${TO_END})`,
      'g',
    ),
    claims: (part) => {
      const value = named(part('rest').replace(/^about (?!how)/, ''), 9).replace(/ (?:that's|to|from|with)\b.*$/, '');
      return value === '' || /^(?:real|really|hard|in|at|from|with|by)\b/.test(value)
        ? []
        : [{ attribute: 'learning', value, text: `{name} is learning ${value}.`, confidence: 0.8 }];
    },
  },
  {
    pattern: new RegExp(
      `\\b(?:I|we|We)(?:'m|’m|'re|’re| am| are|'ve been|’ve been| have been)(?: also| just| now| currently| still| actually| mainly| both)*(?: an? [\\w ,-]{2,40}?)? (?<verb>${ONGOING}) (?<rest>${TO_END})`,
      'g',
    ),
    claims: (part) => activity(part('verb'), part('rest')),
  },
  {
    pattern: new RegExp(
      String.raw`\b(?:I|We|we)(?: also| mainly| currently| primarily)? (?<verb>manage|lead|run|work on|teach|maintain|coach|volunteer at|study|detect|integrate with|process) (?<rest>${TO_END})`,
      'g',
    ),
    claims: (part) => {
      const value = named(part('rest'), 9).replace(/ (?:at|with) (?:my|our) .*$/, '');
      if (value === '' || /^(?:every|twice|once|at|from|out|into|the (?:risk|code|tests?|script))\b/.test(value))
        return [];
      const attribute = part('verb').replaceAll(' ', '_');
      const third = part('verb').replace(
        /^(\w+?)(y?)\b/,
        (_, stem: string, y: string) => `${stem}${y === 'y' ? 'ies' : /(?:s|ch)$/.test(stem) ? 'es' : 's'}`,
      );
      return [{ attribute, value, text: `{name} ${third} ${value}.`, confidence: 0.75 }];
    },
  },
  {
    pattern: new RegExp(
      `${I_OR_WE}(?: also| just| finally| recently| actually)? (?<verb>${DONE}) (?<rest>${TO_END})`,
      'g',
    ),
    claims: (part, { isProper }) => {
      const value = named(part('rest'), 10);
      if (
        value === '' ||
        /^(?:in|on|at|from|for|real|really|hard|learning|studying|using|working|writing|to (?:get|feel|think)|by|with|up|out|off|when|as)\b/.test(
          value,
        )
      )
        return [];
      const verb = part('verb');
      // The end of an activity is read as such.
      if (verb === 'quit' && /^[a-z]+ing\b/.test(value)) return [];
      const isBroad = /^(?:added|received|started|tried|broke|ran|set up|sold|bought)$/.test(verb);
      if (isBroad && !(isProper(value) || /\d/.test(value))) return [];
      return [{ attribute: verb.replaceAll(' ', '_'), value, text: `{name} ${verb} ${value}.`, confidence: 0.75 }];
    },
  },
  {
    pattern:
      /\b[Ww]e(?:'ve| have)? (?:now )?(?:also )?(?:grown|grew|jumped|went)(?: from [\w%,.]+)? to (?<rest>\d[^.!?]*)/g,
    claims: (part) => {
      const value = phrase(part('rest'), 5);
      return value === '' ? [] : [{ attribute: 'grew_to', value, text: `{name} grew to ${value}.`, confidence: 0.75 }];
    },
  },
];

function activity(verb: string, rest: string): RuleClaim[] {
  const value = named(rest, 11).replace(/ (?:with|for) (?:my|our) .*$/, '');
  if (
    value === '' ||
    /^(?:(?:a |much of an |any |no |some |the )?(?:difference|progress|strides|sure|impact|plans?|time|sense|friends|money|fun|most|effort)\b|my way|late|errands|out|into|on it|the (?:same|first one|code|tests?))\b/.test(
      value,
    )
  )
    return [];
  return [{ attribute: verb.replaceAll(' ', '_'), value, text: `{name} is ${verb} ${value}.`, confidence: 0.75 }];
}
