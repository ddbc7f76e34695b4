/**
 * Memory of [Strands](https://strandsagents.com) agents in Mneme: `@mneme/client/strands`, beside `@strands-agents/sdk`.
 *
 * @module
 */
export { MemoryManager, type MnemeInjectionConfig, type MnemeMemoryManagerConfig } from './memory-manager.ts';
export { MnemeMemoryStore, type MnemeStoreConfig } from './mneme-memory-store.ts';
