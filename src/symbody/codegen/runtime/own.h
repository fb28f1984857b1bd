/* External functions as they were given, seen in this library only: the process may know others of the same name. */
#ifndef SYMBODY_UNIT
#define EXTERNAL static
#elif defined(__GNUC__)
#define EXTERNAL __attribute__((visibility("hidden")))
#else
#define EXTERNAL
#endif
