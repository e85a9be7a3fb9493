"""Runs inside training containers: resolves the environment, runs the user's program, packs and checks the model."""
