/* The acquisitions, one row each. Public enumerators, C constants, names, what scores candidates and what is checked
   are all made of these rows; docs/extending.md says how to add one. */
#ifndef CARBO_ACQUISITION_TABLE_H
#define CARBO_ACQUISITION_TABLE_H

/* X(enumerator, constant of the C interface, type in kernels/acquisition). The order is that of their numbers. */
#define CARBO_ACQUISITIONS(X)                  \
  X(ei_cool, CARBO_EI_COOL, EiCool)            \
  X(ei_per_cost, CARBO_EI_PER_COST, EiPerCost) \
  X(ei, CARBO_EI, Ei)                          \
  X(random, CARBO_RANDOM, Random)              \
  X(gittins, CARBO_GITTINS, Gittins)           \
  X(mes_cool, CARBO_MES_COOL, MesCool)

/* X(name, default, lowest, highest): numbers that acquisitions take from the caller. */
#define CARBO_ACQUISITION_PARAMETERS(X) \
  X(lambda, 0.0, 0.0, 1e300)            \
  X(lambda_decay, 0.5, 1e-3, 1.0)       \
  X(cooling, 0.0, 0.0, 100.0)

#endif
