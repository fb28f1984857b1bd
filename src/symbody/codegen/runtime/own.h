/* External functions are visible in this library only: the process may contain others of the same name. */
#ifndef RUNTIME_OWN_H
#define RUNTIME_OWN_H

#ifndef SYMBODY_UNIT
#define EXTERNAL static
#elif defined(__GNUC__)
#define EXTERNAL __attribute__((visibility("hidden")))
#else
#define EXTERNAL
#endif

#endif
