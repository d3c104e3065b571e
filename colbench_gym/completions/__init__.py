"""One door to any server that speaks OpenAI's chat completions protocol.

All requests of a process run on one event loop in a thread of its own, over connections that are kept per server and
key; callers are plain threads, as many as there are dialogues. A call is charged to the caller's account, ends with it,
and its own limit of time stands still while the client library backs off.
"""

from colbench_gym.completions.answers import Completion, CompletionError, NoText, encodable, excerpt
from colbench_gym.completions.endpoint import (
    ENDPOINT_OPTIONS,
    Endpoint,
    Sampling,
    needs_client,
    sampling_options,
)
from colbench_gym.completions.loop import Call

__all__ = [
    "ENDPOINT_OPTIONS",
    "Call",
    "Completion",
    "CompletionError",
    "Endpoint",
    "NoText",
    "Sampling",
    "encodable",
    "excerpt",
    "needs_client",
    "sampling_options",
]
