/** What is between words at even places, words at odd ones. */
export function splitByWords(text: string): string[] {
  return text.split(/([\p{L}\p{M}\p{N}]+)/u);
}
