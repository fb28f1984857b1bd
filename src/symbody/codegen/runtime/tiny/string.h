/* Declarations of string.h that generated code and the runtime use. */
#ifndef TINY_STRING_H
#define TINY_STRING_H
#include <stddef.h>
void *memcpy(void *to, const void *from, size_t n), *memmove(void *to, const void *from, size_t n);
void *memset(void *to, int c, size_t n);
int memcmp(const void *a, const void *b, size_t n);
#endif
