/* The port between the proxy of a local model and a world behind a line: what came over it, and whose energy it is.

   Packets and answers go through mailboxes, so that neither the ticks nor who listens ever waits. Energy (J) is accounted for at
   each end: what the proxy gave to bodies that can move, less what their surfaces store, goes to the other end as a total that
   only grows; what the other end has paid so may be spent here. Neither spends more than it has, so that together they give
   back no more than they took, however late, reordered or lost packets are (time-domain passivity). */
typedef struct {
    int64_t on;                            /* surfaces do not move where there is no energy for it; else it is only counted */
    double entered, stored, received, paid, discarded; /* J: by the proxy; in surfaces; from the world; to it; above the ceiling */
    double least, given;                   /* J: the lowest balance; what surfaces that cannot move gave */
    double ceiling;                        /* J: most that is kept for later */
    double still, patience, fading;        /* s of silence until surfaces stand still, are let go; how long that takes */
    int64_t held, lifted, let_go;          /* moves of surfaces not made; times that some gave way; that all were let go */
    int64_t posted, taken, told;           /* packets, and words of the proxy */
    mailbox_t inbox, outbox;
    packet_t *packets;                     /* three of each; none: packets come another way */
    proxy_packet_t *proxies;
} port_t;

static inline double balance(const port_t *p)
{
    return p->entered - p->stored - p->paid + p->received - p->discarded;
}

/* pay the other end what is there beyond what was received; what is above the ceiling is gone */
static inline void settle(port_t *p)
{
    const double own = p->entered - p->stored - p->paid;
    if (own > 0.0)
        p->paid += own;
    if (balance(p) > p->ceiling)
        p->discarded += balance(p) - p->ceiling;
    p->least = fmin(p->least, balance(p));
}
