"""Servers on loopback that speak the chat-completions protocol: a simulated population behind one, faults behind the other."""
