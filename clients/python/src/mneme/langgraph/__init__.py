"""LangGraph on Mneme: a store and a checkpointer (`pip install 'mneme[langgraph]'`)."""

from ._items import FoundItem
from .saver import MnemeSaver
from .store import MnemeStore

__all__ = ["FoundItem", "MnemeSaver", "MnemeStore"]
