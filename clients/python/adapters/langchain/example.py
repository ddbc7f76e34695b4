"""A question answered from documents, with a history and a cache, all in Mneme. Needs no model key.

usage: python example.py ADDRESS
"""

from __future__ import annotations

import sys

from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import HumanMessage

import mneme
from mneme.langchain import MnemeCache, MnemeChatMessageHistory, MnemeRetriever, MnemeVectorStore


def main(address: str) -> None:
    with mneme.connect(address, namespace="handbook") as documents, mneme.connect(address, namespace="chats") as chats:
        store = MnemeVectorStore(DeterministicFakeEmbedding(size=64), documents)
        store.add_texts(["The museum is closed on Mondays.", "The library is open until six."])
        retriever = MnemeRetriever(client=documents, k=1)
        model = FakeListChatModel(responses=["Not on Mondays.", "never reached"], cache=MnemeCache(chats))
        history = MnemeChatMessageHistory(chats, "visitor-1")
        for _ in range(2):
            question = HumanMessage("When is the museum closed?")
            (found,) = retriever.invoke(question.text)
            answer = model.invoke(f"{found.page_content}\n{question.text}")
            history.add_messages([question, answer])
            print(f"{found.page_content} -> {answer.text}")
        print(f"{len(history.messages)} messages")


if __name__ == "__main__":
    main(sys.argv[1])
