/* SPDX-License-Identifier: MIT
 *
 * pcsample: a request to the tracer. */
#include <pcsample.h>

#include "libpcsample/gate.h"

long pcsample(uintptr_t samples[], long nsamples)
{
    return pcsample_gate(GATE_PCSAMPLE, (uintptr_t)samples, (uint64_t)nsamples, 0, 0);
}
