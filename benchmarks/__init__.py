"""Speed, measured against baselines written here from the definitions."""
