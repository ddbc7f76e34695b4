"""Memory of [Haystack](https://haystack.deepset.ai) in Mneme: `pip install mneme[haystack]`.

```python
from haystack import Document
from mneme.haystack import MnemeDocumentStore, MnemeTextRetriever

store = MnemeDocumentStore("127.0.0.1:50051", "handbook")
store.write_documents([Document(content="The museum is closed on Mondays.", meta={"lang": "en"})])
MnemeTextRetriever(store, top_k=1).run(query="When is the museum closed?")["documents"]
```
"""

from ._quoted import quoted_documents
from .document_store import MnemeDocumentStore
from .retrievers import MnemeEmbeddingRetriever, MnemeTextRetriever

__all__ = ["MnemeDocumentStore", "MnemeEmbeddingRetriever", "MnemeTextRetriever", "quoted_documents"]
