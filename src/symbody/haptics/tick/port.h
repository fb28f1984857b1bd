/* The port between the proxy of a local model and a world behind a line: packets, and an account of energy.

   Packets and answers go through mailboxes, so that neither the ticks nor the line waits. Each end accounts for
   energy (J): what the proxy gave to movable bodies, less what their surfaces store, is sent to the other end as a
   total that only grows. What the other end has paid this way may be spent here. No end spends more than it has. So
   both together return no more energy than they took, however late, reordered or lost packets are (time-domain
   passivity). */
#ifndef HAPTICS_PORT_H
#define HAPTICS_PORT_H

#include <math.h>

#include "../../realtime/mailbox.h"
#include "packet.h"

typedef struct {
    int64_t on;                            /* surfaces move only if there is energy for it; else energy is only counted */
    double entered, stored, received, paid, discarded; /* J: from the proxy; in surfaces; from the world; to it; above the ceiling */
    double least, given;                   /* J: the lowest balance; given by fixed surfaces */
    double ceiling;                        /* J: largest balance that is kept */
    double still, patience, fading;        /* s of silence until surfaces stop, and until they fade; duration of that */
    int64_t held, lifted, let_go;          /* moves of surfaces refused; ticks in which some gave way; removals of all surfaces */
    int64_t returned;                      /* ticks in which the proxy was braked, because surfaces gave more than there was */
    int64_t posted, taken, sent;           /* packets received, used, and answers sent */
    mailbox_t inbox, outbox;
    packet_t *packets;                     /* three of each; NULL: not used */
    proxy_packet_t *proxies;
} port_t;

static inline double balance(const port_t *p)
{
    return p->entered - p->stored - p->paid + p->received - p->discarded;
}

/* pay the own surplus to the other end; discard what exceeds the ceiling */
static inline void settle(port_t *p)
{
    const double own = p->entered - p->stored - p->paid;
    if (own > 0.0)
        p->paid += own;
    if (balance(p) > p->ceiling)
        p->discarded += balance(p) - p->ceiling;
    p->least = fmin(p->least, balance(p));
}

#endif
