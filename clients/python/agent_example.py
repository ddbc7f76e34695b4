"""An agent that works through a list in steps, and goes on where it was when it is started again.

PYTHONPATH=$(clients/python/stubs.sh) python3 clients/python/agent_example.py ADDRESS SESSION work STEPS | resume STEPS | finish
"""
import json
import sys
import time
import uuid

import grpc
from mneme.v1 import lifecycle_service_pb2 as lives
from mneme.v1 import lifecycle_service_pb2_grpc, working_memory_service_pb2_grpc
from mneme.v1 import memory_pb2, session_pb2
from mneme.v1 import working_memory_service_pb2 as working

PLACES = ["harbour", "market", "museum", "tower", "bridge", "garden"]
# Calls that find no server yet wait and are made again; a request id makes that harmless.
OPTIONS = [("grpc.service_config", json.dumps({"methodConfig": [{"name": [{}], "retryPolicy": {
    "maxAttempts": 5, "initialBackoff": "0.1s", "maxBackoff": "2s", "backoffMultiplier": 2,
    "retryableStatusCodes": ["UNAVAILABLE"]}}]}))]


class Agent:
    def __init__(self, address, session):
        channel = grpc.insecure_channel(address, options=OPTIONS)
        self.lives = lifecycle_service_pb2_grpc.LifecycleServiceStub(channel)
        self.memory = working_memory_service_pb2_grpc.WorkingMemoryServiceStub(channel)
        self.session = session
        self.name = f"namespaces/demo/sessions/{session}"

    def spawn(self):
        scope = memory_pb2.Scope(project="city", agent_type="guide", agent="ada")
        seen = lives.InitialValue(key="seen", value=as_json([]))
        self.lives.SpawnSession(lives.SpawnSessionRequest(parent="namespaces/demo", session_id=self.session, scope=scope,
                                                         initial_values=[seen], request_id=request_id()))
        task = working.TaskState(description="plan a tour of the city", total_steps=len(PLACES))
        self.memory.SetTaskState(working.SetTaskStateRequest(session=self.name, task=task, request_id=request_id()))

    def seen(self):
        answer = self.memory.GetValue(working.GetValueRequest(session=self.name, key="seen"))
        return json.loads(answer.entry.value.json)

    def work(self, steps):
        seen = self.seen()
        for place in PLACES[len(seen):len(seen) + steps]:
            note = memory_pb2.Content(text=f"the {place} is worth a visit")
            self.memory.AppendScratchpad(
                working.AppendScratchpadRequest(session=self.name, notes=[note], request_id=request_id()))
            seen = [*seen, place]
            self.memory.SetValue(
                working.SetValueRequest(session=self.name, key="seen", value=as_json(seen), request_id=request_id()))
            self.memory.UpdateTaskProgress(working.UpdateTaskProgressRequest(
                session=self.name, current_step=len(seen), request_id=request_id()))
            print(f"step {len(seen)}: the {place}", flush=True)

    def pause(self):
        self.lives.PauseSession(lives.PauseSessionRequest(
            session=self.name, description="a night of sleep", request_id=request_id()))

    def resume(self):
        answer = self.lives.ResumeSession(lives.ResumeSessionRequest(session=self.name, request_id=request_id()))
        task = self.memory.GetTaskState(working.GetTaskStateRequest(session=self.name)).task
        print(f"resumed from {answer.checkpoint.description}: values: {answer.restored_count}, step {task.current_step}")

    def finish(self):
        seen = self.seen()
        actions = [lives.SessionAction(description=f"visited the {place}") for place in seen]
        answer = self.lives.TerminateSession(lives.TerminateSessionRequest(
            session=self.name, outcome=session_pb2.SESSION_OUTCOME_SUCCESS, actions=actions,
            lessons=["the museum is closed on Mondays"], request_id=request_id()))
        print(f"finished {len(seen)} of {len(PLACES)} places, remembered as {answer.episode}")


def as_json(value):
    return memory_pb2.Content(json=json.dumps(value))


def request_id():
    return str(uuid.uuid4())


def main(address, session, command="work", steps="6"):
    agent = Agent(address, session)
    if command == "finish":
        return agent.finish()
    if command == "work":
        agent.spawn()
    else:
        agent.resume()
    agent.work(int(steps))
    if command == "work":
        agent.pause()
    print("ready", flush=True)
    while command == "work":  # An agent that is at work does not end by itself.
        time.sleep(60)


if __name__ == "__main__":
    main(*sys.argv[1:])
