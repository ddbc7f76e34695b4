import { named, type Rule, TO_END } from './rule.ts';

/** Actions and notes that an assistant reports; advice and explanations are not facts. */
export const ASSISTANT_RULES: readonly Rule[] = [
  {
    pattern: new RegExp(
      String.raw`\bI(?:'ve| have)(?: now| just| already)? (?<verb>booked|scheduled|reserved|ordered|cancelled|canceled|submitted|created) (?<rest>${TO_END})`,
      'g',
    ),
    claims: (part) => {
      const value = named(part('rest'), 14);
      return value === ''
        ? []
        : [{ attribute: part('verb'), value, text: `{name} ${part('verb')} ${value}.`, confidence: 0.7 }];
    },
  },
  {
    cue: /\b[Yy]our /,
    pattern:
      /\b[Yy]our (?<what>(?:order|booking|confirmation|reference|ticket|account|reservation|tracking) (?:number|code|id|ID)) is (?<value>[\w-]+)/g,
    claims: (part) => [
      {
        subject: 'user',
        attribute: part('what'),
        value: part('value'),
        text: `The user’s ${part('what')} is ${part('value')}.`,
        confidence: 0.8,
      },
    ],
  },
];
