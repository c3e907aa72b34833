"""Measures scikit-learn's learners on LIBSVM's data sets: tables of configurations, errors and CPU seconds."""
