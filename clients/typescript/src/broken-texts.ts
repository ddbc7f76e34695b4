import { badInput } from './bad-input.ts';

/**
 * Refuses a message with a text that UTF-8 cannot carry, one with half of a surrogate pair: an encoder would replace the
 * half by U+FFFD. The field is named by its path in the message.
 */
export function refuseBrokenTexts(message: unknown, field = ''): void {
  const found = brokenTextIn(message, field);
  if (found) throw badInput(found.field, found.fault);
}

/** The first broken text of a value, as a text or as a key; `undefined` where there is none. */
export function brokenTextIn(
  value: unknown,
  field = '',
): { readonly field: string; readonly fault: string } | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : { field, fault: faultOf(value) };
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return undefined;
  for (const [name, part] of Object.entries(partsOf(value))) {
    if (!name.isWellFormed()) return { field, fault: `key: ${faultOf(name)}` };
    const found = brokenTextIn(part, fieldAt(field, name, value));
    if (found) return found;
  }
  return undefined;
}

/** Of a oneof, the part that is chosen. */
function partsOf(value: object): object {
  return '$case' in value && 'value' in value ? { [String(value.$case)]: value.value } : value;
}

/** The choice of a oneof stands where the oneof's own name is, such as `content.text` for `content.body`. */
function fieldAt(field: string, name: string, of: object): string {
  if (Array.isArray(of)) return `${field}[${name}]`;
  const holder = '$case' in of ? field.slice(0, Math.max(0, field.lastIndexOf('.'))) : field;
  return holder === '' ? name : `${holder}.${name}`;
}

function faultOf(text: string): string {
  return `must be whole Unicode characters, got half of a surrogate pair at position ${text.search(/\p{Surrogate}/u)}`;
}
