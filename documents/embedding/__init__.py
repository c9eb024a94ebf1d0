"""Embeddings: the local process that computes them, and the one client for every provider."""

import os

# onnxruntime 1.32 writes a device id and reports to its maker unless it is told not to, before it is imported.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
