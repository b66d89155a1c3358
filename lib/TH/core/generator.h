/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TH_CORE_GENERATOR_H
#define TH_CORE_GENERATOR_H

#include "TH/random.h"

/* Takes `blocks` blocks of the generator (NULL: the default one): they begin at *offset under *seed. */
void th_generator_take(THGenerator *g, uint64_t blocks, uint64_t *seed, uint64_t *offset);

#endif
