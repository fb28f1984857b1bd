/* A team of threads that shares the parts of a job. The number of threads never changes a result: a part writes only to
   places of its own, and sums over parts are made afterwards, in their order. */
#ifndef SOIL_WORKERS_H
#define SOIL_WORKERS_H

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_THREADS = 16 };

typedef void (*part_t)(void *of, int64_t part);

typedef struct {
    pthread_t threads[MOST_THREADS];
    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    int64_t count, started, round, working, parts, stop, process; /* count: with the thread that shares its job */
    part_t job;
    void *of;
} team_t;

static void *work(void *at)
{
    team_t *t = at;
    int64_t number, seen = 0, k;
    pthread_mutex_lock(&t->lock);
    number = ++t->started;
    for (;;) {
        while (t->round == seen && !t->stop)
            pthread_cond_wait(&t->begin, &t->lock);
        if (t->stop)
            break;
        seen = t->round;
        pthread_mutex_unlock(&t->lock);
        for (k = number; k < t->parts; k += t->count)
            t->job(t->of, k);
        pthread_mutex_lock(&t->lock);
        if (--t->working == 0)
            pthread_cond_signal(&t->end);
    }
    pthread_mutex_unlock(&t->lock);
    return 0;
}

/* Do all parts of a job. A process that was forked has no team, and does them alone. */
static inline void share(team_t *t, part_t job, void *of, int64_t parts)
{
    const int64_t count = t && parts > 1 && t->process == (int64_t)getpid() ? t->count : 1;
    int64_t k;
    if (count > 1) {
        pthread_mutex_lock(&t->lock);
        t->job = job, t->of = of, t->parts = parts, t->working = count - 1;
        t->round++;
        pthread_cond_broadcast(&t->begin);
        pthread_mutex_unlock(&t->lock);
    }
    for (k = 0; k < parts; k += count)
        job(of, k);
    if (count > 1) {
        pthread_mutex_lock(&t->lock);
        while (t->working > 0)
            pthread_cond_wait(&t->end, &t->lock);
        pthread_mutex_unlock(&t->lock);
    }
}

/* A team of `count` threads, one of them the caller of `share`; 0 if the system refuses a thread. */
team_t *hire(int64_t count)
{
    team_t *t = calloc(1, sizeof *t);
    if (!t)
        return 0;
    t->count = 1, t->process = (int64_t)getpid();
    pthread_mutex_init(&t->lock, 0);
    pthread_cond_init(&t->begin, 0);
    pthread_cond_init(&t->end, 0);
    while (t->count < count && t->count < MOST_THREADS
           && pthread_create(&t->threads[t->count], 0, work, t) == 0)
        t->count++;
    return t;
}

/* End the threads of a team. */
void dismiss(team_t *t)
{
    int64_t k;
    pthread_mutex_lock(&t->lock);
    t->stop = 1;
    pthread_cond_broadcast(&t->begin);
    pthread_mutex_unlock(&t->lock);
    for (k = 1; k < t->count; k++)
        pthread_join(t->threads[k], 0);
    free(t);
}

#endif
