"""A pipeline that answers from documents in Mneme. Needs no model key.

usage: python example.py ADDRESS
"""

from __future__ import annotations

import sys

from haystack import Document, Pipeline
from haystack.components.builders import PromptBuilder
from haystack.document_stores.types import DuplicatePolicy

from mneme.haystack import MnemeDocumentStore, MnemeTextRetriever


def main(address: str) -> None:
    store = MnemeDocumentStore(address, "handbook")
    texts = ["The museum is closed on Mondays.", "The library is open until six."]
    store.write_documents([Document(content=text) for text in texts], DuplicatePolicy.OVERWRITE)
    pipeline = Pipeline()
    pipeline.add_component("retriever", MnemeTextRetriever(store, top_k=1))
    template = "{% for each in documents %}{{ each.content }}\n{% endfor %}Question: {{ question }}"
    pipeline.add_component("prompt", PromptBuilder(template, required_variables="*"))
    pipeline.connect("retriever.documents", "prompt.documents")
    question = "When is the museum closed?"
    found = pipeline.run({"retriever": {"query": question}, "prompt": {"question": question}})
    print(found["prompt"]["prompt"])
    store.close()


if __name__ == "__main__":
    main(sys.argv[1])
