"""Speed, error and memory of silvan beside other forest libraries, measured in one run."""
