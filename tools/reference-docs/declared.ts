/** Limits as the sources declare them, so that a page cannot say another figure. */
import { readFileSync } from 'node:fs';

/** The number that a constant of the file has: `LIMIT_MAX`, or `BATCH.max` of one with several. Fails when it is not there. */
export function declared(path: string, name: string): number {
  const [constant = '', member] = name.split('.');
  const source = readFileSync(path, 'utf8');
  const [, text] = new RegExp(`^(?:export )?const ${constant}\\b[^=\\n]*= ([^;]+);`, 'm').exec(source) ?? [];
  if (text === undefined) throw new Error(`${path} declares no ${constant}`);
  const [, part] = member === undefined ? [text, text] : (new RegExp(`\\b${member}: ([^,}]+)`).exec(text) ?? []);
  if (part === undefined) throw new Error(`${path}: ${constant} has no ${member}`);
  return product(path, part);
}

/** The longest text that the pattern of a file takes. Fails when there is no such pattern, or one without a longest text. */
export function longest(path: string, name: string): number {
  const source = readFileSync(path, 'utf8');
  const [, pattern] = new RegExp(`^(?:export )?const ${name} = /\\^(.+)\\$/;$`, 'm').exec(source) ?? [];
  const parts = [...(pattern ?? '').matchAll(/\[(?:[^\]\\]|\\.)+\](?:\{\d+,(\d+)\})?/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== pattern) {
    throw new Error(`${path} declares no pattern ${name} of one character class after the other`);
  }
  return parts.reduce((sum, [, most = '1']) => sum + Number(most), 0);
}

/** Numbers, and constants of the same file, with `*` between them. */
function product(path: string, text: string): number {
  return text.split('*').reduce((value, factor) => {
    const term = factor.trim().replaceAll('_', '');
    const known = /^[A-Z]/.test(factor.trim()) ? declared(path, factor.trim()) : Number(term);
    if (Number.isNaN(known)) throw new Error(`${path}: ${text} is no product of numbers`);
    return value * known;
  }, 1);
}
