/* one state at a time, unless lanes for several states are defined */
#ifndef RUNTIME_SCALAR_H
#define RUNTIME_SCALAR_H

#ifndef LANES
#define LANES 1
#define REAL(x) (x)
typedef double real;
#endif

#endif
