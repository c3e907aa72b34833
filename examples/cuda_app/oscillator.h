/* The model that the examples sweep: an energy harvester, which is a mass on a spring in a shaken housing, with a
 * piezoelectric element that feeds a resistor. Plain C99 that a C++ compiler and nvcc accept as well.
 *
 *     mass * u'' = -stiffness * u - hardening * u^3 - friction * u' - stop(u) + coupling * v - mass * shake(t)
 *            v'  = -leak * v - coupling * u'
 *
 * u: displacement, v: voltage. Units: the housing's half length, the vibration's 1 / angular frequency, the mass that
 * would fill the housing; the element's capacity is 1. A mass that fills more of the housing has less room to move
 * until it hits the soft stops, so the best one is neither small nor large; so it is with load, coupling and springs.
 *
 * It is integrated with Bogacki and Shampine's embedded pair of orders 3 and 2. What a run costs is the steps that it
 * tries: stiff springs, hard hits and a small resistance (a fast leak) need small steps. */
#ifndef OSCILLATOR_H
#define OSCILLATOR_H

#include <math.h>
#include <stdint.h>

#ifdef __CUDACC__
#define OSCILLATOR_FUNCTION static inline __host__ __device__
#else
#define OSCILLATOR_FUNCTION static inline
#endif

enum { oscillator_parameters = 5 };

struct oscillator_result {
  double objective; /* minus the mean power in decibels, over the last half of the time; lower is better */
  int64_t steps;    /* at least 1 */
};

struct oscillator_design {
  double stiffness, hardening, leak, coupling, mass, room;
};

struct oscillator_state {
  double displacement, velocity, voltage;
};

/* x: (stiffness, hardening, leak, coupling, mass), each in [0, 1]; all but the mass on a logarithmic scale. */
OSCILLATOR_FUNCTION struct oscillator_design oscillator_design_of(const double x[5]) {
  struct oscillator_design design;
  design.stiffness = 0.05 * exp2(7 * x[0]);  /* to 6.4 */
  design.hardening = 0.02 * exp2(10 * x[1]); /* to 20 */
  design.leak = 0.03 * exp2(13 * x[2]);      /* to 246 */
  design.coupling = 0.02 * exp2(7 * x[3]);   /* to 2.6 */
  design.mass = 0.05 + 0.9 * x[4];
  design.room = 1 - design.mass;
  return design;
}

/* Acceleration of the housing: the base tone and a weaker one above it. */
OSCILLATOR_FUNCTION double oscillator_shake(double time) {
  const double half_turns = time * 0.31830988618379067;
#ifdef __CUDA_ARCH__
  return 0.08 * cospi(half_turns) + 0.03 * cospi(1.7 * half_turns);
#else
  const double pi = 3.14159265358979324;
  return 0.08 * cos(pi * half_turns) + 0.03 * cos(1.7 * pi * half_turns);
#endif
}

OSCILLATOR_FUNCTION struct oscillator_state oscillator_slope(const struct oscillator_design* design,
                                                             struct oscillator_state at, double time) {
  const double friction = 0.02, stop_stiffness = 40;
  const double u = at.displacement;
  const double beyond = fabs(u) > design->room ? u - copysign(design->room, u) : 0;
  const double force = -(design->stiffness + design->hardening * u * u) * u - friction * at.velocity -
                       stop_stiffness * beyond + design->coupling * at.voltage;
  struct oscillator_state slope;
  slope.displacement = at.velocity;
  slope.velocity = force / design->mass - oscillator_shake(time);
  slope.voltage = -design->leak * at.voltage - design->coupling * at.velocity;
  return slope;
}

/* state + a * p + b * q + c * r */
OSCILLATOR_FUNCTION struct oscillator_state oscillator_combine(struct oscillator_state state, double a,
                                                               struct oscillator_state p, double b,
                                                               struct oscillator_state q, double c,
                                                               struct oscillator_state r) {
  state.displacement += a * p.displacement + b * q.displacement + c * r.displacement;
  state.velocity += a * p.velocity + b * q.velocity + c * r.velocity;
  state.voltage += a * p.voltage + b * q.voltage + c * r.voltage;
  return state;
}

/* An error as a share of what is allowed. Where power is above -24.5 decibels it is then right to 0.3, and seldom to
   0.4. Below that, hits of the stops make some designs chaotic: rounding alone moves one in ten of them visibly. */
OSCILLATOR_FUNCTION double oscillator_share(double error, double value) {
  return fabs(error) / (1e-4 + 1e-2 * fabs(value));
}

/* Over the cube steps vary from about 460 to 15,700; the best power is about -21 decibels. */
OSCILLATOR_FUNCTION struct oscillator_result oscillator_run(const double x[5]) {
  const double end = 160, settled = 80, least_power = 1e-12;
  const int64_t most_steps = 100000;
  const struct oscillator_design design = oscillator_design_of(x);
  struct oscillator_state state = {0, 0, 0};
  struct oscillator_state slope = oscillator_slope(&design, state, 0);
  struct oscillator_result result = {0, 0};
  double time = 0, step = 0.01, energy = 0;

  while (time < end && result.steps < most_steps) {
    const double h = fmin(step, end - time);
    const struct oscillator_state k1 = slope;
    const struct oscillator_state k2 =
        oscillator_slope(&design, oscillator_combine(state, h / 2, k1, 0, k1, 0, k1), time + h / 2);
    const struct oscillator_state k3 =
        oscillator_slope(&design, oscillator_combine(state, 3 * h / 4, k2, 0, k2, 0, k2), time + 3 * h / 4);
    const struct oscillator_state next = oscillator_combine(state, 2 * h / 9, k1, h / 3, k2, 4 * h / 9, k3);
    const struct oscillator_state k4 = oscillator_slope(&design, next, time + h);
    const struct oscillator_state zero = {0, 0, 0};
    const struct oscillator_state partial = oscillator_combine(zero, -5, k1, 6, k2, 8, k3);
    const struct oscillator_state error = oscillator_combine(zero, h / 72, partial, -h / 8, k4, 0, k4);
    const double largest = fmax(fmax(oscillator_share(error.displacement, next.displacement),
                                     oscillator_share(error.velocity, next.velocity)),
                                oscillator_share(error.voltage, next.voltage));

    ++result.steps;
    if (largest <= 1) {
      if (time >= settled)
        energy += h * design.leak * (state.voltage * state.voltage + next.voltage * next.voltage) / 2;
      time += h;
      state = next;
      slope = k4;
    }
    step = h * fmin(4.0, fmax(0.2, 0.9 / cbrt(fmax(largest, 1e-9))));
  }
  result.objective = -10 * log10(fmax(energy / (end - settled), least_power));
  return result;
}

#endif
