"""Plain twins: every kernel written again from its definition, slowly, in words a reader can check."""
