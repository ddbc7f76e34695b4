"""A gatherer with a memory by hooks: it acts, fails once, and its API says what it did.

MNEME_SERVER=127.0.0.1:50051 python clients/python/examples/agentmemory.py
"""

from __future__ import annotations

from typing import Any

from mneme.agentmemory.api import ActionResult, AgentMemoryAPI, AgentState, BaseAgent, install_memory_hooks
from mneme.agentmemory.config import MemoryConfig, RedisSTMConfig


def main() -> None:
    config = MemoryConfig(
        namespace="gatherers", cleanup_interval=10, stm_config=RedisSTMConfig(memory_limit=1_000, ttl=3_600)
    )
    with AgentMemoryAPI(config) as api:
        api.clear_agent_memory("ada")

        @install_memory_hooks(api=api)
        class Gatherer(BaseAgent):
            def __init__(self) -> None:
                super().__init__(agent_id="ada")
                self.wood = 0

            def act(self, observation: Any = None) -> ActionResult:
                if observation == "cliff":
                    raise ValueError("nothing grows here")
                self.wood += 2
                return ActionResult("gather", {"at": observation}, reward=0.2)

            def get_state(self) -> AgentState:
                state = super().get_state()
                state.extra_data["wood"] = self.wood
                return state

        ada = Gatherer()
        for place in ("forest", "cliff", "river"):
            try:
                ada.act(place)
            except ValueError as error:
                print(f"at the {place}: {error}")
        api.store_agent_interaction("ada", {"interaction_type": "trade", "with": "bob", "wood": 1}, ada.step_number)

        print("all stored:", api.flush().complete)
        wood = [change["new_value"] for change in api.get_attribute_change_history("ada", "extra_data.wood")]
        print("wood over time:", wood)
        (failed,) = api.search("ada", {"path": "content.error.type", "value": "ValueError"}, "path")
        print("failed at step:", failed["step_number"])
        (trade,) = api.search_by_content("ada", "trade bob", k=1)
        print("found:", trade["type"], trade["contents"])
        counts = sorted(api.get_memory_statistics("ada")["memory_type_distribution"].items())
        print("memories:", dict(counts))


if __name__ == "__main__":
    main()
