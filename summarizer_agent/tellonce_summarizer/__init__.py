"""The summarizer agent: claims work from the memory server, asks a model or works without one, and submits results."""
