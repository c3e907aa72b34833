"""Measures scikit-learn's learners on data sets: tables of configurations, errors and CPU seconds."""
