"""What hooks of the Agent Memory API cost an agent: processor time of its thread for each act, in microseconds, beside
the same act without hooks. The second number of a line is the time by the clock, which other work lengthens.

    MNEME_BIN=bin/mneme PYTHONPATH=clients/python/src python clients/python/bench/bench_hooks.py [ACTS]
"""

from __future__ import annotations

import sys
import time
from typing import Any

from mneme.agentmemory import ActionResult, AgentMemoryAPI, AgentState, BaseAgent, MemoryConfig, with_memory
from mneme.testing import start_server


class Agent(BaseAgent):
    """An agent with a state of the size that the API document shows."""

    def act(self, observation: Any = None) -> ActionResult:
        self.step_number += 1
        return ActionResult("move", {"to": [self.step_number, 20]}, 0.5)

    def get_state(self) -> AgentState:
        inventory = {"wood": 5, "stone": self.step_number}
        return AgentState(self.agent_id, self.step_number, health=0.85, position_x=10, extra_data=inventory)


def main(acts: int) -> None:
    with start_server() as server:
        options = {"address": server.address, "namespace": "bench", "queue_limit": 10 * acts}
        with AgentMemoryAPI(MemoryConfig(**options)) as api:
            shown("without hooks", Agent(agent_id="plain"), acts)
            agent = with_memory(Agent(agent_id="hooked"), api=api)
            for step in range(100):
                agent.act(step)
            started = time.perf_counter()
            shown("with hooks", agent, acts)
            report = api.flush(120)
            print(f"{report.stored} memories stored in {time.perf_counter() - started:.1f} s")


def shown(name: str, agent: Any, acts: int) -> None:
    worked, started = time.thread_time(), time.perf_counter()
    for step in range(acts):
        agent.act(step)
    worked, passed = time.thread_time() - worked, time.perf_counter() - started
    print(f"{name:<14}{worked / acts * 1e6:7.1f} us {passed / acts * 1e6:7.1f} us")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000)
