import subprocess
import sys

SCRIPT = """
import asyncio, sys

NETWORK = {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "socket.bind"}
seen = []
sys.addaudithook(lambda event, _: seen.append(event) if event in NETWORK else None)

import mindlog.models.embedder
light = {"onnxruntime", "tokenizers", "onnx", "httpx2", "pydantic"} & set(sys.modules)
assert not light, light

from mindlog.models.load import load_embedder
from mindlog.settings import Settings

async def use():
    embedder = await asyncio.to_thread(load_embedder, Settings())
    assert (await embedder.embed(["first text", "second text"]))[0].vectors.shape == (1, 384)
    assert (await embedder.embed(["long text " * 300], "query"))[0].vectors.shape[0] > 1
    await embedder.aclose()

asyncio.run(use())
loaded = {"huggingface_hub", "requests", "urllib3", "httpx2", "onnx", "torch"} & set(sys.modules)
assert not loaded, loaded
assert not seen, seen
print("offline")
"""


def test_the_default_embedder_opens_and_embeds_without_touching_the_network(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, cwd=tmp_path, timeout=60, check=False
    )
    assert done.stdout.strip() == "offline", done.stderr
