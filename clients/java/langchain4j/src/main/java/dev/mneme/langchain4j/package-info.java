/** LangChain4j on Mneme: an embedding store, a chat memory store, a content retriever and an injector of quoted contents. */
package dev.mneme.langchain4j;
