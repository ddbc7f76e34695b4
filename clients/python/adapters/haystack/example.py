"""A pipeline that answers from documents in Mneme. Needs no model key.

usage: python example.py ADDRESS
"""

from __future__ import annotations

import sys

from haystack import Document, Pipeline
from haystack.components.builders import PromptBuilder
from haystack.components.converters import OutputAdapter
from haystack.document_stores.types import DuplicatePolicy

from mneme.haystack import MnemeDocumentStore, MnemeTextRetriever, quoted_documents


def main(address: str) -> None:
    store = MnemeDocumentStore(address, "handbook")
    texts = ["The museum is closed on Mondays.", "The library is open until six."]
    store.write_documents([Document(content=text) for text in texts], DuplicatePolicy.OVERWRITE)
    pipeline = Pipeline()
    pipeline.add_component("retriever", MnemeTextRetriever(store, top_k=1))
    filters = {"quoted": quoted_documents}
    pipeline.add_component("quoted", OutputAdapter("{{ documents | quoted }}", str, custom_filters=filters))
    template = "{{ memory }}\nQuestion: {{ question }}"
    pipeline.add_component("prompt", PromptBuilder(template, required_variables="*"))
    pipeline.connect("retriever.documents", "quoted.documents")
    pipeline.connect("quoted.output", "prompt.memory")
    question = "When is the museum closed?"
    found = pipeline.run({"retriever": {"query": question}, "prompt": {"question": question}})
    print(found["prompt"]["prompt"])
    store.close()


if __name__ == "__main__":
    main(sys.argv[1])
