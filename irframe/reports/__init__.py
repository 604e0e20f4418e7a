"""The report: everything that an experiment says, on one page that needs no network."""
