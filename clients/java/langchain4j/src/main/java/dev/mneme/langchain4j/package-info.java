/** LangChain4j on Mneme: an embedding store, a chat memory store and a content retriever. */
package dev.mneme.langchain4j;
