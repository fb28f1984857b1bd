/* the parts of a long function stay apart: put together again, they would take the compiler much longer */
#ifdef __GNUC__
#define APART __attribute__((noinline))
#else
#define APART
#endif
#ifdef SYMBODY_UNIT
#define PART APART
#else
#define PART static APART
#endif
