"""Turns texts into vectors with a local or an Ollama model. Without a model, search uses words alone."""

import os

# onnxruntime reports its use to its maker unless this variable is set before onnxruntime is first imported. onnxruntime
# would also write an id of this device into the user's cache folder.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
