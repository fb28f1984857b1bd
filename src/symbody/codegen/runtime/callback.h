/* the function whose address lies in a place of h */
static inline external *function_at(const double *place)
{
    external *f;
    memcpy(&f, place, sizeof f);
    return f;
}
