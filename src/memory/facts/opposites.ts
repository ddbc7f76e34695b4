/** Groups of attributes that no value has at once: what is liked is not disliked. */
const OPPOSITES: readonly (readonly [readonly string[], readonly string[]])[] = [
  [
    ['likes', 'loves', 'enjoys', 'prefers'],
    ['dislikes', 'hates'],
  ],
  [['eats', 'drinks', 'uses', 'takes', 'wears'], ['avoids']],
];

const BY_ATTRIBUTE = new Map<string, readonly string[]>();
for (const [one, other] of OPPOSITES) {
  for (const attribute of one) BY_ATTRIBUTE.set(attribute, other);
  for (const attribute of other) BY_ATTRIBUTE.set(attribute, one);
}

/** Attributes whose equal value ends when one of the attribute is stated. */
export function oppositesOf(attribute: string): readonly string[] {
  return BY_ATTRIBUTE.get(attribute) ?? [];
}
