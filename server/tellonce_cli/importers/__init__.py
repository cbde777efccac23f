"""Reads exports of other programs as a stream of messages and memories."""
