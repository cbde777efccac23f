"""Turns texts into vectors with a local model. Without a model, search uses words alone."""

import os

# Without this variable, onnxruntime would send usage data to its developer. It would also write an id of this device
# into the user's cache folder. The variable must be set before onnxruntime is first imported.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
