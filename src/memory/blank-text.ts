/** Spaces, line ends, and characters that are not seen, such as U+200B. */
const UNSEEN = /^[\s\p{Default_Ignorable_Code_Point}\p{Cf}]+$/u;

/** Whether a text is there and says nothing: none of its characters is to be seen. */
export function isBlank(text: string): boolean {
  return UNSEEN.test(text);
}
