"""LangGraph on Mneme: a store and a checkpointer (`pip install 'mneme[langgraph]'`)."""

from .saver import MnemeSaver
from .store import MnemeStore

__all__ = ["MnemeSaver", "MnemeStore"]
