/* Measurements of noisy sensors, step by step, with the formulas of noisy_sensor.py. */
#ifndef ESTIMATION_NOISY_SENSOR_H
#define ESTIMATION_NOISY_SENSOR_H

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { CHANNEL, SIGMA, BIAS, DRIFT, QUANTUM, RATE, LEAST, MOST, DELAY, RING, NUMBERS }; /* numbers of a sensor; DELAY in steps */
enum { RANDOM, STEPS, MEMORY }; /* memory: first what all sensors share, then the drift and the true values of each */

/* uniform between 0 and 1, by SplitMix64 (Steele, Lea and Flood 2014) */
static inline double uniform(double *state)
{
    uint64_t bits, x;
    memcpy(&bits, state, sizeof bits);
    bits += 0x9e3779b97f4a7c15ULL;
    memcpy(state, &bits, sizeof bits);
    x = (bits ^ bits >> 30)*0xbf58476d1ce4e5b9ULL;
    x = (x ^ x >> 27)*0x94d049bb133111ebULL;
    return ((double)((x ^ x >> 31) >> 11) + 0.5)/9007199254740992.0;
}

/* normal with mean 0 and variance 1 (Box and Muller 1958) */
static inline double normal(double *state)
{
    const double size = sqrt(-2.0*log(uniform(state)));
    return size*cos(6.283185307179586*uniform(state));
}

/* a measurement of `truth` in step k; `own` holds the sensor's drift and a ring of true values. NaN: no sample is due */
static inline double measured(const double *sensor, double truth, int64_t k, double dt, double noise, double *random, double *own)
{
    const int64_t size = (int64_t)sensor[RING];
    const double back = (double)k < sensor[DELAY] ? (double)k : sensor[DELAY], t = (double)k*dt;
    const int64_t whole = (int64_t)back;
    double *ring = own + 1, seen, part = back - (double)whole;
    ring[k % size] = truth;
    seen = ring[(k - whole) % size];
    if (part > 0.0)
        seen += part*(ring[(k - whole - 1) % size] - seen);
    own[0] += sensor[DRIFT]*sqrt(dt)*normal(random);
    seen += sensor[BIAS] + own[0] + noise*sensor[SIGMA]*normal(random);
    seen = seen < sensor[LEAST] ? sensor[LEAST] : seen > sensor[MOST] ? sensor[MOST] : seen;
    if (sensor[QUANTUM] > 0.0)
        seen = sensor[QUANTUM]*rint(seen/sensor[QUANTUM]);
    if (sensor[RATE] > 0.0 && !(floor(t*sensor[RATE] + 1e-9) > floor((t - dt)*sensor[RATE] + 1e-9)))
        return NAN;
    return seen;
}

/* all sensors, from the outputs y of a machine */
static inline void measure(int64_t count, const double *sensors, const double *y, double dt, double noise, double *memory, double *z)
{
    double *own = memory + MEMORY;
    int64_t i;
    for (i = 0; i < count; i++, sensors += NUMBERS) {
        z[i] = measured(sensors, y[(int64_t)sensors[CHANNEL]], (int64_t)memory[STEPS], dt, noise, memory + RANDOM, own);
        own += 1 + (int64_t)sensors[RING];
    }
    memory[STEPS] += 1.0;
}

#endif
