"""Proactive messages: their schedule, their text, and how they are sent and recorded."""
