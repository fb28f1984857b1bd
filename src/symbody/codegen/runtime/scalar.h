/* one state at a time */
#define LANES 1
#define REAL(x) (x)
typedef double real;
