"""The runner of the debate engine's scripted cases."""
