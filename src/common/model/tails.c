/* SPDX-License-Identifier: MIT */
#include "common/model/tails.h"

enum { MOST = 1000 }; /* older tails lose weight, because the machine and the programs change */

void tails_add(struct tails *tails, uint64_t pages, uint64_t ns)
{
    double x = (double)pages, y = (double)ns;
    if (tails->count >= MOST) {
        tails->count /= 2;
        tails->pages /= 2;
        tails->ns /= 2;
        tails->pages_pages /= 2;
        tails->pages_ns /= 2;
    }
    tails->count++;
    tails->pages += x;
    tails->ns += y;
    tails->pages_pages += x * x;
    tails->pages_ns += x * y;
}

/* A line through the tails by least squares. It never falls: more memory does not take less time. */
uint64_t tails_expect(const struct tails *tails, uint64_t pages)
{
    if (!(tails->count > 0))
        return 0;
    double mean = tails->ns / tails->count, usual_pages = tails->pages / tails->count;
    double spread = tails->pages_pages - tails->pages * usual_pages;
    double slope = spread > 1 ? (tails->pages_ns - tails->pages * mean) / spread : 0;
    double ns = mean + (slope > 0 ? slope * ((double)pages - usual_pages) : 0);
    return ns > 0 ? (uint64_t)ns : 0;
}
