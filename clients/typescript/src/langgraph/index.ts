/**
 * Memory and checkpoints of [LangGraph](https://langchain-ai.github.io/langgraphjs/) agents in Mneme:
 * `@mneme/client/langgraph`, beside `@langchain/langgraph`.
 *
 * @module
 */
export { MnemeSaver, type MnemeSaverConfig } from './mneme-saver.ts';
export { type FoundItem, MnemeStore, type MnemeStoreConfig } from './mneme-store.ts';
