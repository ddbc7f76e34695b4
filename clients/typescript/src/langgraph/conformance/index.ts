/**
 * Conformance cases for any `BaseStore` of LangGraph, for any test runner: `@mneme/client/langgraph/conformance`.
 *
 * @module
 */
export { type StoreCase, type StoreSuite, storeCases } from './store-cases.ts';
