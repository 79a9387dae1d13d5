"""The papers' figures and tables, one module for each: ``python -m experiments.NAME``."""
