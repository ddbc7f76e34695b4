"""Memory of [LangChain](https://docs.langchain.com) in Mneme: `pip install mneme[langchain]`.

```python
import mneme
from mneme.langchain import MnemeVectorStore

store = MnemeVectorStore(embeddings, mneme.connect("127.0.0.1:50051", namespace="handbook"))
store.add_texts(["The museum is closed on Mondays."], [{"lang": "en"}])
store.similarity_search("When can I visit?", k=1, filter={"lang": "en"})
```

`MnemeVectorStore`, `MnemeByteStore`, `MnemeRetriever`, `MnemeDocumentIndex`, `MnemeCache` and `MnemeChatMessageHistory`
take a client of `mneme.connect`, which they do not close. They may be used from any thread and any event loop.
"""

from ._byte_store import MnemeByteStore
from ._cache import MnemeCache
from ._chat_history import MnemeChatMessageHistory
from ._document_index import MnemeDocumentIndex
from ._retriever import MnemeRetriever, quoted_documents
from ._vector_store import MnemeVectorStore

__all__ = [
    "MnemeByteStore",
    "MnemeCache",
    "MnemeChatMessageHistory",
    "MnemeDocumentIndex",
    "MnemeRetriever",
    "MnemeVectorStore",
    "quoted_documents",
]
