"""Turns texts into vectors with a local or an Ollama model. Without a model, search uses words alone."""

import os

# onnxruntime reports its use to its maker unless this is set before its first import. It would also write an id of this
# device into the user's cache folder.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
