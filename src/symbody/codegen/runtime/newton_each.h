/* One step of Newton's method, x -= d, in the lanes that still iterate. Returns the lanes that go on: the largest
   component of d is not below the tolerance, relative to 1 + |x|. A lane with a number that is not finite or a step
   larger than 10 (rad, m), which happens at a singular position, ends with NaN. The same rules as in correct.h. */
DEVICE static INLINE mask corrected_each(int n, scalar tolerance, const real *d, real *x, mask busy)
{
    mask small = ALL_LANES, sane = ALL_LANES;
    EACH(i, n) {
        const real size = magnitude(d[i]), scale = 1.0 + magnitude(x[i]);
        small = small & (size < tolerance*scale);
        sane = sane & (size < 10.0*scale); /* false for NaN */
    }
    EACH(i, n)
        x[i] = choose(busy, choose(sane, x[i] - d[i], REAL(NAN)), x[i]);
    return busy & sane & none_of(small);
}
