"""Programs that run from the command line."""
