/** How the clients spell the calls of clients/calls.json, such as `namespaces.get_statistics`. */
import { readFileSync } from 'node:fs';

export const snake = (name: string) => name;
export const camel = (name: string) => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
export const pascal = (name: string) => camel(`_${name}`);

/** Each call with its method, `Service.Method`. */
export const CALLS = Object.entries(JSON.parse(readFileSync('clients/calls.json', 'utf8')) as Record<string, string>);

/** The calls of a method as a language spells them. */
export function callsOf(method: string, spell: (snake: string) => string): readonly string[] {
  return CALLS.filter(([, rpc]) => rpc === method).map(([call]) => call.split('.').map(spell).join('.'));
}
