/** Words that name a secret where they are, or are a part of, the name of a value. */
const SECRET_WORDS = new Set([
  ...['password', 'passwd', 'passphrase', 'secret', 'token', 'credential', 'credentials', 'authorization', 'cookie'],
  ...['apikey', 'api key', 'access key', 'private key'],
]);

/** Whether the name of a value says that it is a secret: `token`, `github_token`, `apiKey`, but not `tokens_used`. */
export function namesSecret(key: string): boolean {
  const words = key
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words.some((word, at) => SECRET_WORDS.has(word) || SECRET_WORDS.has(`${word} ${words[at + 1]}`));
}
