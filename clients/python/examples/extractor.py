"""Serves the extractor of the namespace `demo`: python clients/python/examples/extractor.py [ADDRESS]."""

import re
import sys

import mneme


def extract(job: mneme.ExtractionJob) -> mneme.ExtractionAnswer:
    """In place of a model: one sentence that is looked for."""
    found = [(message.sequence, re.search(r"I moved to (\w+)", message.text)) for message in job.messages]
    return {
        "claims": [
            {"subject": "user", "attribute": "home_city", "value": match[1], "sources": [sequence]}
            for sequence, match in found
            if match
        ]
    }


with mneme.connect(sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:50051", namespace="demo") as client:
    client.conversations.serve_extractor(extract).wait()
