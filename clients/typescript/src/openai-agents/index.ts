/**
 * Sessions of the [OpenAI Agents SDK](https://openai.github.io/openai-agents-js/) in Mneme: `@mneme/client/openai-agents`,
 * beside `@openai/agents`.
 *
 * @module
 */
export { MnemeSession, type MnemeSessionConfig, type OwnerScope } from './mneme-session.ts';
